import FoundationEssentials
import HTTPTypes

/// Numbers of seconds in header fields.
enum DeltaSeconds {
  /// Digits only; larger numbers become ``CacheControlHeader/longest``. `nil` for anything else.
  static func read(_ text: some StringProtocol) -> Int? {
    let digits = text.utf8
    guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return min(Int(text) ?? CacheControlHeader.longest, CacheControlHeader.longest)
  }

  /// Whole seconds of a duration, from 0 to ``CacheControlHeader/longest``.
  static func of(_ duration: Duration) -> Int {
    Int(min(max(duration.components.seconds, 0), Int64(CacheControlHeader.longest)))
  }
}

/// HTTP times: whole seconds since 1970, in the years 0 to 9999, so that no sum of them overflows.
enum HTTPSeconds {
  static let range = -62_167_219_200...253_402_300_800

  /// Returns the second of `date`, clamped to years of four digits; 0 for a date that is not a number.
  static func of(_ date: Date) -> Int {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard !seconds.isNaN else { return 0 }
    return Int(min(max(seconds, Double(range.lowerBound)), Double(range.upperBound)))
  }

  static func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
}

/// Lists of field names.
enum FieldNames {
  /// Returns a name in lower case without surrounding spaces; `nil` if it is not a name.
  static func read(_ bytes: some Collection<UInt8>) -> String? {
    let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var trimmed = Array(bytes.drop(while: isSpace))
    while let last = trimmed.last, isSpace(last) { trimmed.removeLast() }
    guard trimmed.count <= 256, let name = HTTPField.Name(String(decoding: trimmed, as: UTF8.self)) else {
      return nil
    }
    return name.canonicalName
  }
}
