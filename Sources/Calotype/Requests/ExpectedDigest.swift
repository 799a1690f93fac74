import CalotypeSupport
import FoundationEssentials

/// The digests of which the bytes of an original must have one, as in Subresource Integrity (W3C).
///
/// ```swift
/// request.expectedDigest = ExpectedDigest("sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC")
/// ```
///
/// The bytes are those that are decoded: after content codings and body transforms.
public struct ExpectedDigest: Hashable, Sendable, CustomStringConvertible {
  /// A hash function (FIPS 180-4).
  public enum Algorithm: String, Hashable, Sendable, CaseIterable {
    /// 32 bytes.
    case sha256
    /// 48 bytes.
    case sha384
    /// 64 bytes.
    case sha512

    /// The length of a digest in bytes.
    public var byteCount: Int {
      switch self {
      case .sha256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }

    fileprivate func digest(of data: Data) -> [UInt8] {
      var hash =
        switch self {
        case .sha256: MessageDigest(.sha256)
        case .sha384: MessageDigest(.sha384)
        case .sha512: MessageDigest(.sha512)
        }
      data.withUnsafeBytes { hash.update($0) }
      return hash.finalize()
    }
  }

  /// The hash function.
  public let algorithm: Algorithm
  /// The accepted digests.
  private let digests: [[UInt8]]

  /// Creates an expectation of one digest; `nil` if its length is not that of the algorithm.
  public init?(_ algorithm: Algorithm, _ digest: [UInt8]) {
    guard digest.count == algorithm.byteCount else { return nil }
    self.algorithm = algorithm
    digests = [digest]
  }

  /// Reads integrity metadata: one or more of `sha256-…`, `sha384-…` and `sha512-…` in Base64, separated by spaces, each
  /// with or without options behind a question mark. The digests of the strongest algorithm count; one of them must match.
  ///
  /// `nil` for a text without a digest, and for one with a malformed or unknown item: a check that was asked for is never
  /// left out.
  public init?(_ integrity: String) {
    var found: [Algorithm: [[UInt8]]] = [:]
    let items = integrity.split { $0.isWhitespace }
    guard items.count <= 64 else { return nil }
    for item in items {
      let value = item.prefix { $0 != "?" }
      guard let dash = value.firstIndex(of: "-"), let algorithm = Algorithm(rawValue: String(value[..<dash])),
        let digest = Data(base64Encoded: String(value[value.index(after: dash)...])),
        digest.count == algorithm.byteCount
      else { return nil }
      found[algorithm, default: []].append([UInt8](digest))
    }
    guard let strongest = found.keys.max(by: { $0.byteCount < $1.byteCount }) else { return nil }
    algorithm = strongest
    digests = found[strongest] ?? []
  }

  /// The digests as integrity metadata.
  public var description: String {
    digests.map { Self.text(algorithm, $0) }.joined(separator: " ")
  }

  /// Returns the digest of the bytes if it is none of the expected ones.
  func mismatch(of data: Data) -> String? {
    let actual = algorithm.digest(of: data)
    return digests.contains(actual) ? nil : Self.text(algorithm, actual)
  }

  private static func text(_ algorithm: Algorithm, _ digest: [UInt8]) -> String {
    "\(algorithm.rawValue)-\(Data(digest).base64EncodedString())"
  }
}
