import CalotypeCaching
import CalotypeResults
import CalotypeSettings
import Crypto
import FoundationEssentials
import HTTPTypes

/// The first bytes of a source, with the facts about it.
struct SourceHead: Sendable {
  /// The first bytes.
  let data: Data
  /// Whether the bytes are the whole source.
  let isWhole: Bool
  /// The number of all bytes, if it is known.
  let byteCount: Int?
  /// The name of the version: the strong tag of the origin, or a digest of what is known.
  let version: String
  /// The fields of the origin.
  let fields: HTTPFields
  /// The end of the time for which the origin need not be asked; `nil` for no end.
  let freshUntil: Date?
  /// The time of the last change, as the origin says.
  let modified: Date?
  /// Whether caches may store its facts.
  let isStorable: Bool

  /// The most bytes that are read of a source whose other bytes are not needed.
  static let limit = 1 << 20

  /// Describes the response of an origin whose first bytes have been read.
  init(
    _ data: Data, isWhole: Bool, byteCount: Int?, status: Int, fields: HTTPFields,
    kind: SourceReference.Kind, policy: FreshnessPolicy, now: Date
  ) {
    (self.data, self.isWhole, self.byteCount, self.fields) = (data, isWhole, byteCount, fields)
    let stored = policy.storeDecision(
      request: [:], status: status, response: fields, requestTime: now, responseTime: now
    ).stored
    modified = stored?.modificationDate
    switch kind {
    case .http:
      let directives = CacheControlHeader(response: fields)
      isStorable = !directives.noStore && directives.isPrivate == .none
      let rest = stored.map { $0.freshnessLifetime(under: policy) - $0.currentAge(at: now) } ?? .zero
      freshUntil = now.addingTimeInterval(max(0, TimeInterval(rest.components.seconds)))
    case .local:
      isStorable = true
      freshUntil = now.addingTimeInterval(SourceBytes.localLifetime)
    }
    let length = byteCount.map(String.init) ?? ""
    let tag = fields[values: .eTag].first.flatMap { EntityTag($0) }
    if let tag, !tag.isWeak {
      version = "\(length) \(tag.text)"
    } else {
      version = "\(length) head " + HexText.text(SHA256.hash(data: data).prefix(16))
    }
  }

  /// Describes bytes that were read as a whole.
  init(_ source: SourceBytes) {
    self.init(
      data: source.data, isWhole: true, byteCount: source.data.count, version: source.version,
      fields: source.fields, freshUntil: source.freshUntil, modified: source.modified,
      isStorable: source.isStorable)
  }

  private init(
    data: Data, isWhole: Bool, byteCount: Int?, version: String, fields: HTTPFields, freshUntil: Date?,
    modified: Date?, isStorable: Bool
  ) {
    self.data = data
    self.isWhole = isWhole
    self.byteCount = byteCount
    self.version = version
    self.fields = fields
    self.freshUntil = freshUntil
    self.modified = modified
    self.isStorable = isStorable
  }
}
