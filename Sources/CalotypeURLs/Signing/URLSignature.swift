import Crypto

/// Signs URLs with HMAC-SHA256, and verifies the signatures of others (imgproxy, "Signing a URL").
///
/// ```swift
/// let signature = try URLSignature(key: key, salt: salt)
/// let text = signature.sign("/rs:fill:300:200/plain/http://example.com/a.jpg")
/// ```
///
/// The signed text is the salt and the path behind the signature, with its slash and without the query.
public struct URLSignature: Sendable {
  /// A key and its salt.
  public struct Key: Sendable, CustomStringConvertible, CustomReflectable {
    /// Name of the pair, for logs; not secret.
    public let id: String
    /// Seconds since 1970 after which its signatures are refused; `nil` for never.
    public let validUntil: Int64?
    let key: SymmetricKey
    let salt: [UInt8]

    /// A key and its salt, neither of which is empty.
    public init(id: String = "", key: [UInt8], salt: [UInt8], validUntil: Int64? = nil) throws(ImageURLError)
    {
      guard !key.isEmpty, !salt.isEmpty else {
        throw ImageURLError(
          .invalidConfiguration, "a key or a salt is empty", remedy: "give at least 16 random bytes each")
      }
      self.id = id
      self.validUntil = validUntil
      self.key = SymmetricKey(data: key)
      self.salt = salt
    }

    /// The name alone.
    public var description: String { "URLSignature.Key(\(id))" }
    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
  }

  /// The proof of a URL.
  public enum Verification: Hashable, Sendable {
    /// The signature of a key of that name.
    case signed(id: String)
    /// A text of ``trusted``.
    case trusted
    /// Nothing: there are no keys.
    case unsigned
  }

  /// The keys. The first that is valid signs; all are tried for verification. None: nothing is verified.
  public var keys: [Key]
  /// Bytes of a signature that are kept, 1 to 32.
  public let size: Int
  /// Texts that stand for a signature without being one, such as `unsafe`.
  public var trusted: [String]
  /// Whether the bits of the last character that are behind the last byte may be anything, as in imgproxy: there are then up
  /// to 15 other texts of the same signature, and as many URLs of one result.
  public var allowsMalleableTail = false

  /// No keys: every text is a signature, and ``sign(_:at:)`` gives `unsafe`.
  public static let unsigned = URLSignature(unchecked: [], size: 32, trusted: [])

  private init(unchecked keys: [Key], size: Int, trusted: [String]) {
    self.keys = keys
    self.size = size
    self.trusted = trusted
  }

  /// Several keys.
  public init(keys: [Key], size: Int = 32, trusted: [String] = []) throws(ImageURLError) {
    guard (1...32).contains(size) else {
      throw ImageURLError(
        .invalidConfiguration, "a signature of \(size) bytes", remedy: "keep 8 to 32 bytes")
    }
    self.init(unchecked: keys, size: size, trusted: trusted)
  }

  /// One key.
  public init(key: [UInt8], salt: [UInt8], size: Int = 32) throws(ImageURLError) {
    try self.init(keys: [Key(key: key, salt: salt)], size: size)
  }

  /// Keys and salts as imgproxy's settings have them: as many of both, in hexadecimal digits, separated by commas.
  public init(
    hexKeys: String, hexSalts: String, size: Int = 32, trusted: [String] = []
  ) throws(ImageURLError) {
    let keys = try Self.hexList(hexKeys, "key")
    let salts = try Self.hexList(hexSalts, "salt")
    guard keys.count == salts.count else {
      throw ImageURLError(
        .invalidConfiguration, "\(keys.count) keys and \(salts.count) salts",
        remedy: "give a salt for each key")
    }
    var pairs: [Key] = []
    for (index, pair) in zip(keys, salts).enumerated() {
      pairs.append(try Key(id: String(index + 1), key: pair.0, salt: pair.1))
    }
    try self.init(keys: pairs, size: size, trusted: trusted)
  }

  private static func hexList(_ text: String, _ name: String) throws(ImageURLError) -> [[UInt8]] {
    var list: [[UInt8]] = []
    for part in text.utf8.split(separator: UInt8(ascii: ",")) {
      let digits = part.filter { $0 != UInt8(ascii: " ") }
      let values = digits.compactMap(PercentEncoding.value)
      guard values.count == digits.count, values.count % 2 == 0 else {
        // Without the text, which is secret.
        throw ImageURLError(
          .invalidConfiguration, "\(name) \(list.count + 1) is not hexadecimal",
          remedy: "give an even number of hexadecimal digits")
      }
      list.append(stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }
    return list
  }

  /// The signature of a path, with the first key that is valid at a time in seconds since 1970, or with the first of all if none is.
  public func sign(_ path: String, at now: Int64? = nil) -> String {
    guard let key = keys.first(where: { $0.isValid(at: now) }) ?? keys.first else { return "unsafe" }
    return Base64URL.encode(authentication(of: path, by: key))
  }

  /// Verifies a path. The time that this takes does not depend on how much of a signature is right.
  public func verify(
    _ signature: String, of path: String, at now: Int64? = nil
  ) throws(ImageURLError) -> Verification {
    guard !keys.isEmpty else {
      guard !signature.utf8.contains(UInt8(ascii: ":")) else {
        throw ImageURLError(
          .missingSignature, at: .init(segment: 0, text: signature),
          "an option stands in the place of the signature",
          remedy: "begin the path with a signature, or with unsafe")
      }
      return .unsigned
    }
    var isTrusted = false
    for text in trusted { isTrusted = Self.isEqual(Array(text.utf8), Array(signature.utf8)) || isTrusted }
    if isTrusted { return .trusted }
    guard let decoded = Base64URL.decode(signature.utf8), decoded.isCanonical || allowsMalleableTail else {
      throw Self.invalid
    }
    var found: Key?
    for key in keys where key.isValid(at: now) {
      if Self.isEqual(authentication(of: path, by: key), decoded.bytes), found == nil { found = key }
    }
    guard let found else { throw Self.invalid }
    return .signed(id: found.id)
  }

  private static var invalid: ImageURLError {
    ImageURLError(
      .invalidSignature, "the signature does not belong to the URL",
      remedy: "sign the path behind it, with its slash, with the key and the salt of the server")
  }

  private func authentication(of path: String, by key: Key) -> [UInt8] {
    var code = HMAC<SHA256>(key: key.key)
    code.update(data: key.salt)
    if path.utf8.first != UInt8(ascii: "/") { code.update(data: [UInt8(ascii: "/")]) }
    code.update(data: Array(path.utf8))
    return Array(code.finalize().prefix(size))
  }

  /// Compares in a time that depends on the lengths alone.
  static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (one, other) in zip(left, right) { difference |= one ^ other }
    return difference == 0
  }
}

extension URLSignature.Key {
  fileprivate func isValid(at now: Int64?) -> Bool {
    guard let now, let validUntil else { return true }
    return now <= validUntil
  }
}
