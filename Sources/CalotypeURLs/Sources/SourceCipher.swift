import Crypto
import CryptoExtras
import FoundationEssentials

/// Encrypts the URLs of sources, so that they cannot be read in those of results (imgproxy Pro, "Encrypting a source URL"):
/// AES-CBC with the padding of PKCS#7, behind the initialization vector, in URL-safe base64.
///
/// Encryption does not authenticate: sign URLs as well.
public struct SourceCipher: Sendable, CustomStringConvertible, CustomReflectable {
  /// Where an initialization vector comes from.
  public enum InitializationVector: Hashable, Sendable {
    /// From key and URL, by HMAC: equal URLs are encrypted alike, so that caches in front of a server find their results.
    case derived
    /// At random: equal URLs cannot be recognised.
    case random
    /// These 16 bytes, which must never be used for two URLs.
    case bytes([UInt8])
  }

  private let keys: [SymmetricKey]

  /// Takes keys of 16, 24 or 32 bytes. The first encrypts; all are tried for decryption.
  public init(keys: [[UInt8]]) throws(ImageURLError) {
    guard !keys.isEmpty, keys.allSatisfy({ [16, 24, 32].contains($0.count) }) else {
      throw ImageURLError(
        .invalidConfiguration, "a key for sources has \(keys.last?.count ?? 0) bytes",
        remedy: "give 16, 24 or 32 random bytes")
    }
    self.keys = keys.map { SymmetricKey(data: $0) }
  }

  /// Takes a key of 16, 24 or 32 bytes.
  public init(key: [UInt8]) throws(ImageURLError) { try self.init(keys: [key]) }

  /// Nothing secret.
  public var description: String { "SourceCipher(\(keys.count))" }
  /// Nothing secret.
  public var customMirror: Mirror { Mirror(self, children: ["keys": keys.count]) }

  /// The encrypted text of a URL.
  public func encrypt(
    _ source: String, vector: InitializationVector = .derived
  ) throws(ImageURLError) -> String {
    let key = keys[0]
    let plain = Array(source.utf8)
    let bytes: [UInt8]
    switch vector {
    case .derived:
      // With a key of its own, because one key should not serve two algorithms.
      let vectorKey = HMAC<SHA256>.authenticationCode(
        for: Array("source initialization vector".utf8), using: key)
      bytes = Array(
        HMAC<SHA256>.authenticationCode(for: plain, using: SymmetricKey(data: Array(vectorKey))).prefix(16))
    case .random:
      var generator = SystemRandomNumberGenerator()
      bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    case .bytes(let given): bytes = given
    }
    guard let vector = try? AES._CBC.IV(ivBytes: bytes) else {
      throw ImageURLError(
        .invalidConfiguration, "an initialization vector of \(bytes.count) bytes", remedy: "give 16 bytes")
    }
    guard let encrypted = try? AES._CBC.encrypt(plain, using: key, iv: vector) else {
      throw ImageURLError(.unwritable, "the source cannot be encrypted", remedy: "check the key")
    }
    return Base64URL.encode(bytes + Array(encrypted))
  }

  /// The URL of an encrypted text, or `nil` if no key makes text of it. All failures look alike.
  func decrypt(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 32, bytes.count % 16 == 0, let vector = try? AES._CBC.IV(ivBytes: bytes.prefix(16))
    else {
      return nil
    }
    for key in keys {
      // A wrong key passes the check of the padding once in 256 times, hardly ever that of the text.
      if let plain = try? AES._CBC.decrypt(bytes.dropFirst(16), using: key, iv: vector), !plain.isEmpty,
        let text = SafeText.validated(plain)
      {
        return text
      }
    }
    return nil
  }
}
