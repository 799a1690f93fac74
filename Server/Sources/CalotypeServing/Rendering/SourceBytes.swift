import Calotype
import CalotypeCaching
import CalotypeResults
import CalotypeURLs
import Crypto
import FoundationEssentials
import HTTPTypes

/// The bytes of a source, with the facts about them.
struct SourceBytes: Sendable {
  /// The bytes.
  let data: Data
  /// The name of their version: the strong tag of the origin, or a digest.
  private(set) var version: String
  /// The fields of the origin.
  private(set) var fields: HTTPFields
  /// The end of the time for which the origin need not be asked; `nil` for no end.
  private(set) var freshUntil: Date?
  /// The time of the last change, as the origin says.
  private(set) var modified: Date?
  /// Whether caches may keep images of it.
  private(set) var isStorable: Bool

  /// Files are looked at again after this time. Their results remain valid until their bytes change.
  static let localLifetime: TimeInterval = 2

  /// Describes the response of an origin, or of a file.
  init(_ response: DataResponse, kind: SourceReference.Kind, now: Date) {
    data = response.data
    fields = response.original.fields
    modified = response.original.lastModified
    switch kind {
    case .http:
      let directives = CacheControlHeader(response: fields)
      freshUntil = response.isStale ? now : response.original.freshUntil
      isStorable = !directives.noStore && directives.isPrivate == .none
    case .local:
      freshUntil = now.addingTimeInterval(Self.localLifetime)
      isStorable = true
    }
    if let tag = response.original.entityTag, !tag.isWeak {
      version = "\(data.count) \(tag.text)"
    } else {
      version = Self.digest(of: data)
    }
  }

  /// Describes an image that the server holds itself.
  init(fallback: Data) {
    data = fallback
    version = Self.digest(of: fallback)
    fields = [:]
    modified = nil
    freshUntil = nil
    isStorable = false
  }

  /// Adds another source of the result: a watermark.
  ///
  /// The version names both then, the stricter freshness is that of both, and the validators of the origin are gone, because they say
  /// nothing of the other one.
  mutating func add(_ other: SourceBytes) {
    version += " " + Self.digest(of: other.data)
    let isStricter =
      isStorable
      && (!other.isStorable || (other.freshUntil ?? .distantFuture) < (freshUntil ?? .distantFuture))
    if isStricter {
      fields[.cacheControl] = other.fields[.cacheControl]
      fields[.expires] = other.fields[.expires]
    }
    if let end = other.freshUntil { freshUntil = min(freshUntil ?? end, end) }
    isStorable = isStorable && other.isStorable
    (fields[.eTag], fields[.lastModified], modified) = (nil, nil, nil)
  }

  /// Compares the bytes with the digest of the option `hashsum`.
  func verify(_ hashsum: ProcessingOptions.Hashsum?) throws(Failure) {
    guard let hashsum, hashsum.algorithm != .none else { return }
    let digest: [UInt8] =
      switch hashsum.algorithm {
      case .md5: Array(Insecure.MD5.hash(data: data))
      case .sha1: Array(Insecure.SHA1.hash(data: data))
      case .sha256: Array(SHA256.hash(data: data))
      case .sha512: Array(SHA512.hash(data: data))
      case .none: []
      }
    guard HexText.text(digest) == hashsum.hex.lowercased() else {
      throw Failure(
        .hashMismatch, detail: "the source has another \(hashsum.algorithm.rawValue) than the URL")
    }
  }

  /// A name of bytes: 128 bits of a digest.
  static func digest(of data: Data) -> String { HexText.text(SHA256.hash(data: data).prefix(16)) }
}
