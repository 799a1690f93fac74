public import FoundationEssentials

/// The keys that sign requests to a bucket. Descriptions and mirrors show no secrets.
public struct BucketKeys: Hashable, Sendable {
  /// The access key ID. It names the account, and is no secret by itself.
  public let accessKey: String
  /// The secret access key.
  public let secretKey: String
  /// The token of temporary keys; `nil` for permanent ones.
  public let sessionToken: String?
  /// The end of temporary keys; `nil` for permanent ones.
  public let expires: Date?

  /// Creates keys.
  ///
  /// - Throws: ``BucketError/noCredentials(reason:)`` when a part is empty, too long, or could not stand in a header field.
  public init(
    accessKey: String, secretKey: String, sessionToken: String? = nil, expires: Date? = nil
  ) throws(BucketError) {
    for (name, part) in [
      ("access key", accessKey), ("secret key", secretKey), ("session token", sessionToken ?? "-"),
    ] {
      // A session token has up to 2 KiB or so; more than 16 KiB are not a token.
      guard !part.isEmpty, part.utf8.count <= 16 << 10,
        part.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else { throw .noCredentials(reason: "the \(name) is empty, or holds spaces or control characters") }
    }
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
    self.expires = expires
  }
}

extension BucketKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The first four characters of the access key.
  public var description: String { "BucketKeys(\(accessKey.prefix(4))…)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows nothing but the end.
  public var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any]) }
}
