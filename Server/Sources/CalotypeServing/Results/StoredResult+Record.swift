import Calotype
import CalotypeCaching
import FoundationEssentials
import HTTPTypes

/// Results as records of a disk cache.
extension StoredResult {
  /// The metadata of a record.
  func metadata(identity: String) -> RecordMetadata {
    var user = [
      "ext": fileExtension, "w": String(width), "h": String(height),
      "source": source.version, "bytes": String(source.byteCount), "sw": String(source.width),
      "sh": String(source.height),
    ]
    user["tag"] = entityTag?.text
    user["fresh"] = freshUntil.map { String($0.timeIntervalSince1970) }
    user["cc"] = source.cacheControl
    user["expires"] = source.expires
    user["etag"] = source.entityTag
    user["modified"] = source.lastModified
    user["time"] = source.modified.map { String($0.timeIntervalSince1970) }
    if !source.passed.isEmpty {
      user["passed"] = source.passed.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
    if !varyingHeaders.isEmpty { user["vary"] = varyingHeaders.joined(separator: ",") }
    if !notices.isEmpty { user["notices"] = notices.joined(separator: ",") }
    return RecordMetadata(
      contentType: contentType, tags: Self.recordTags(tags, identity: identity), user: user,
      cost: makingTime)
  }

  /// Reads a record; `nil` if it is none of a result.
  init?(_ record: CacheRecord) {
    let user = record.metadata.user
    func number(_ name: String) -> Int { user[name].flatMap { Int($0) }.map { max($0, 0) } ?? 0 }
    guard let contentType = record.metadata.contentType, let fileExtension = user["ext"],
      let version = user["source"]
    else { return nil }
    func date(_ name: String) -> Date? {
      user[name].flatMap { Double($0) }.map { Date(timeIntervalSince1970: $0) }
    }
    func list(_ name: String) -> [String] { user[name]?.split(separator: ",").map(String.init) ?? [] }
    self.init(
      data: record.data, contentType: contentType, fileExtension: fileExtension,
      entityTag: user["tag"].flatMap { EntityTag($0) },
      width: number("w"), height: number("h"),
      source: SourceFacts(
        version: version, byteCount: number("bytes"), width: number("sw"), height: number("sh"),
        cacheControl: user["cc"], expires: user["expires"], entityTag: user["etag"],
        lastModified: user["modified"], modified: date("time"), passed: Self.fields(user["passed"] ?? "")),
      freshUntil: date("fresh"),
      isStorable: true, varyingHeaders: list("vary"), notices: list("notices"),
      tags: record.metadata.tags.compactMap { $0.hasPrefix("tag ") ? String($0.dropFirst(4)) : nil },
      makingTime: record.metadata.cost)
  }

  /// Reads fields, one a line.
  private static func fields(_ text: String) -> HTTPFields {
    var fields = HTTPFields()
    for line in text.split(separator: "\n") {
      guard let mark = line.firstRange(of: ": "), let name = HTTPField.Name(String(line[..<mark.lowerBound]))
      else { continue }
      fields.append(HTTPField(name: name, value: String(line[mark.upperBound...])))
    }
    return fields
  }

  /// The tags of a record: those of the request, and the identity, by which single results are purged.
  static func recordTags(_ tags: [String], identity: String) -> [String] {
    ["result \(identity)"] + tags.map { "tag " + $0 }
  }
}
