public import FoundationEssentials

/// A bucket of an S3-compatible server, and the place in it.
///
/// ```swift
/// let bucket = try Bucket(endpoint: url, region: "eu-central-1", name: "images", prefix: "calotype")
/// ```
public struct Bucket: Hashable, Sendable {
  /// How a URL names the bucket.
  public enum Addressing: String, Hashable, Sendable {
    /// `https://endpoint/bucket/key`.
    case path
    /// `https://bucket.endpoint/key`.
    case virtualHosted
  }

  /// The URL of the server: scheme, host and port.
  public let endpoint: URL
  /// The region that signatures name, such as `us-east-1`; `auto` for R2.
  public let region: String
  /// The name of the bucket.
  public let name: String
  /// The beginning of all keys, without slashes around it; empty for none.
  public let prefix: String
  /// How URLs name the bucket. ``Addressing/path`` by default, which every server but AWS recommends.
  public let addressing: Addressing

  /// Whether requests are sent over TLS.
  let isSecure: Bool
  /// The `Host` field.
  let host: String
  /// The path before a key, with a slash at its end.
  let basePath: String

  /// Creates a bucket.
  ///
  /// - Throws: ``BucketError/invalidConfiguration(reason:)``.
  public init(
    endpoint: URL, region: String, name: String, prefix: String = "calotype", addressing: Addressing = .path
  ) throws(BucketError) {
    guard let scheme = endpoint.scheme?.lowercased(), scheme == "https" || scheme == "http",
      let host = endpoint.host()?.lowercased(), !host.isEmpty
    else { throw .invalidConfiguration(reason: "its endpoint is no http or https URL") }
    guard endpoint.path.isEmpty || endpoint.path == "/", endpoint.query == nil, endpoint.fragment == nil,
      endpoint.user == nil, endpoint.password == nil
    else { throw .invalidConfiguration(reason: "its endpoint has more than a scheme, a host and a port") }
    guard !region.isEmpty, region.utf8.count <= 64, region.utf8.allSatisfy(Self.isWord) else {
      throw .invalidConfiguration(reason: "its region is no name")
    }
    guard (1...255).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNamePart), name != ".",
      name != ".."
    else { throw .invalidConfiguration(reason: "its name is not one of a bucket") }
    guard prefix.utf8.count <= 512, Self.isPrefix(prefix) else {
      throw .invalidConfiguration(
        reason: "its prefix has other characters than letters, digits, '-', '_', '.' and '/', or empty parts")
    }
    isSecure = scheme == "https"
    if addressing == .virtualHosted, isSecure, name.utf8.contains(UInt8(ascii: ".")) {
      throw .invalidConfiguration(reason: "no certificate covers a name with dots: use path addressing")
    }
    self.endpoint = endpoint
    self.region = region
    self.name = name
    self.prefix = prefix
    self.addressing = addressing
    let isIPv6 = host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[")
    var text = addressing == .virtualHosted ? "\(name).\(host)" : isIPv6 ? "[\(host)]" : host
    if let port = endpoint.port, port != (isSecure ? 443 : 80) { text += ":\(port)" }
    self.host = text
    basePath = addressing == .virtualHosted ? "/" : "/\(name)/"
  }

  /// The key of a name below the prefix.
  func key(_ name: String) -> String { prefix.isEmpty ? name : "\(prefix)/\(name)" }

  /// The URL without a path.
  var base: String { "\(isSecure ? "https" : "http")://\(host)" }

  private static func isWord(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_")
  }

  private static func isNamePart(_ byte: UInt8) -> Bool { isWord(byte) || byte == UInt8(ascii: ".") }

  private static func isPrefix(_ prefix: String) -> Bool {
    prefix.isEmpty
      || prefix.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
        part in
        !part.isEmpty && part.allSatisfy(isNamePart) && !part.allSatisfy { $0 == UInt8(ascii: ".") }
      }
  }
}
