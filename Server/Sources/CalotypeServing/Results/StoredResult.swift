import Calotype
import CalotypeCaching
import CalotypeResults
import CalotypeSettings
import FoundationEssentials
import HTTPTypes

/// A result: the bytes of an image in their final format, and the facts that responses need.
struct StoredResult: Sendable {
  /// The bytes.
  var data: Data
  /// The media type.
  var contentType: String
  /// The extension of files of the format, with its dot.
  var fileExtension: String
  /// The tag of the bytes.
  var entityTag: EntityTag?
  /// The width in pixels; 0 if it is not known.
  var width: Int
  /// The height in pixels; 0 if it is not known.
  var height: Int
  /// The facts about the source.
  var source: SourceFacts
  /// The end of the time for which the source need not be asked; `nil` for no end.
  var freshUntil: Date?
  /// Whether caches may keep it.
  var isStorable: Bool
  /// Whether it is the image in place of one that could not be loaded.
  var isFallback = false
  /// The request headers that could have led to another result.
  var varyingHeaders: [String]
  /// Deviations from the request.
  var notices: [String]
  /// The tags of the request that made it.
  var tags: [String]
  /// The time that decoding, transforms and encoding took; `nil` if it is not known.
  var makingTime: Duration?
  /// The durations of the stages that made it; empty for a cached one.
  var timings = ServerTiming()

  /// The source as its server described it.
  struct SourceFacts: Hashable, Sendable {
    /// The name of its version: equal versions have equal bytes.
    var version: String
    /// The number of bytes.
    var byteCount: Int
    /// The upright width in pixels.
    var width: Int
    /// The upright height in pixels.
    var height: Int
    /// The field `Cache-Control`.
    var cacheControl: String?
    /// The field `Expires`.
    var expires: String?
    /// The field `ETag`.
    var entityTag: String?
    /// The field `Last-Modified`.
    var lastModified: String?
    /// The time that ``lastModified`` says.
    var modified: Date?
    /// The fields for clients.
    var passed = HTTPFields()

    /// Takes over the fields of a response.
    mutating func describe(_ fields: HTTPFields, modified: Date?, _ settings: Settings) {
      cacheControl = fields[.cacheControl]
      expires = fields[.expires]
      entityTag = fields[.eTag]
      lastModified = fields[.lastModified]
      self.modified = modified
      passed = PassedFields(settings).responseFields(of: fields)
    }
  }

  /// Takes over what a source says of itself now, when its bytes are still those that the result was made of.
  mutating func confirm(_ source: SourceBytes, _ settings: Settings) {
    freshUntil = source.freshUntil
    isStorable = source.isStorable
    self.source.describe(source.fields, modified: source.modified, settings)
  }

  /// As the confirmation by all bytes, by the first bytes of a source.
  mutating func confirm(_ head: SourceHead, _ settings: Settings) {
    freshUntil = head.freshUntil
    isStorable = head.isStorable
    source.describe(head.fields, modified: head.modified, settings)
  }

  /// The bytes in a memory cache, with the overhead of an entry.
  var cost: Int { data.count + 2048 }

  /// Returns whether the fields of a response with it are those of another, as far as results decide them.
  func hasFields(of other: StoredResult) -> Bool {
    contentType == other.contentType && fileExtension == other.fileExtension && entityTag == other.entityTag
      && isFallback == other.isFallback && varyingHeaders == other.varyingHeaders && source == other.source
  }

  /// Returns whether the source has to be asked.
  func isStale(at now: Date) -> Bool { freshUntil.map { $0 <= now } ?? false }

  /// Returns whether it may be sent while its source is asked.
  func isUsable(at now: Date, staleFor limit: Duration) -> Bool {
    guard let freshUntil else { return true }
    return now.timeIntervalSince(freshUntil) < TimeInterval(limit.components.seconds)
  }
}
