import FoundationEssentials
import HTTPTypes

/// Numbers of seconds in header fields.
enum DeltaSeconds {
  /// Digits only; more than fit are ``CacheControlHeader/longest``. `nil` for anything else.
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

/// Times as HTTP has them: whole seconds since 1970, of the years 0 to 9999, so that no sum of them overflows.
enum HTTPSeconds {
  static let range = -62_167_219_200...253_402_300_800

  /// The second that `date` is in, or the nearest that has a year of four digits. What is no number is 1970.
  static func of(_ date: Date) -> Int {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard !seconds.isNaN else { return 0 }
    return Int(min(max(seconds, Double(range.lowerBound)), Double(range.upperBound)))
  }

  static func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
}

/// Names of fields, in lists.
enum FieldNames {
  /// A name in lower case, without the spaces around it; `nil` if it is none.
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
