package import FoundationEssentials

/// A reader of the description in an ICC colour profile (ICC.1:2022, clauses 7 and 10).
package enum ICCProfile {
  /// The largest number of tags to examine in one profile; real profiles have about twenty.
  private static let maxTags = 256
  /// The largest length of a description, in characters.
  private static let maxLength = 256

  /// Returns the name of the profile, such as `Display P3`: the `desc` tag, as version 2 text or as the first record of
  /// a version 4 `mluc`. White space is joined. `nil` if the bytes are no profile or have no name.
  package static func description(of data: Data) -> String? {
    description(of: data.bytes)
  }

  private static func description(of profile: RawSpan) -> String? {
    guard profile.holds("acsp", at: 36), let count = profile.uint32(at: 128, bigEndian: true) else {
      return nil
    }
    for index in 0..<min(Int(count), maxTags) {
      let entry = 132 + 12 * index
      guard let offset = profile.uint32(at: entry + 4, bigEndian: true),
        let length = profile.uint32(at: entry + 8, bigEndian: true)
      else { return nil }
      guard profile.holds("desc", at: entry) else { continue }
      guard Int(offset) >= 128, Int(offset) <= profile.byteCount, length >= 12 else { return nil }
      let end = min(Int(offset) + Int(length), profile.byteCount)
      return text(of: profile.extracting(Int(offset)..<end))
    }
    return nil
  }

  private static func text(of tag: RawSpan) -> String? {
    if tag.holds("desc") { return ascii(in: tag, from: 12, length: tag.uint32(at: 8, bigEndian: true)) }
    if tag.holds("text") { return ascii(in: tag, from: 8, length: UInt32(clamping: tag.byteCount)) }
    if tag.holds("mluc") { return firstRecord(of: tag) }
    return nil
  }

  private static func ascii(in tag: RawSpan, from start: Int, length: UInt32?) -> String? {
    guard let length else { return nil }
    var units: [UInt8] = []
    for offset in start..<(start + min(Int(length), maxLength)) {
      guard let byte = tag.byte(at: offset), byte != 0 else { break }
      units.append(byte)
    }
    return clean(String(decoding: units, as: UTF8.self))
  }

  /// Returns the English record if there is one, otherwise the first: names are for logs, not for display.
  private static func firstRecord(of tag: RawSpan) -> String? {
    guard let count = tag.uint32(at: 8, bigEndian: true), tag.uint32(at: 12, bigEndian: true) == 12 else {
      return nil
    }
    var chosen: Int?
    for index in 0..<min(Int(count), maxTags) {
      let record = 16 + 12 * index
      guard tag.uint32(at: record + 8, bigEndian: true) != nil else { break }
      if chosen == nil { chosen = record }
      if tag.holds("en", at: record) {
        chosen = record
        break
      }
    }
    guard let chosen, let length = tag.uint32(at: chosen + 4, bigEndian: true),
      let offset = tag.uint32(at: chosen + 8, bigEndian: true)
    else { return nil }
    var units: [UInt16] = []
    for index in 0..<min(Int(length) / 2, maxLength) {
      guard let unit = tag.uint16(at: Int(offset) + 2 * index, bigEndian: true), unit != 0 else { break }
      units.append(unit)
    }
    return clean(String(decoding: units, as: UTF16.self))
  }

  /// Joins white space and drops control characters, so that a name cannot break a line of a log.
  private static func clean(_ text: String) -> String? {
    let words = text.unicodeScalars.split {
      $0.properties.isWhitespace || $0.properties.generalCategory == .control
    }
    let joined = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
    return joined.isEmpty ? nil : joined
  }
}
