/// The header field `Accept` of a request (RFC 9110, section 12.5.1).
public struct AcceptHeader: Hashable, Sendable {
  /// A range of media types with its weight.
  struct Range: Hashable, Sendable {
    /// The type in lower case, or `*`.
    let type: Substring
    /// The subtype in lower case, or `*`.
    let subtype: Substring
    /// The weight in thousandths.
    let weight: Int

    /// 2 for a media type, 1 for all of a type, 0 for all.
    var precision: Int { subtype != "*" ? 2 : type != "*" ? 1 : 0 }
  }

  private var ranges: [Range] = []

  /// The most ranges that are read; clients send a dozen.
  private static let mostRanges = 64

  /// A header field that is not there: everything is accepted, and nothing is named.
  public init() {}

  /// Reads the value of a header field, or several values divided by commas. Elements that are not a media range are
  /// ignored.
  public init(_ value: some StringProtocol) {
    for element in Self.elements(of: value, dividedBy: ",").prefix(Self.mostRanges) {
      if let range = Self.range(element) { ranges.append(range) }
    }
  }

  /// Returns true if the header field names a media type itself, and does not refuse it.
  public func names(_ mediaType: String) -> Bool {
    guard let range = match(mediaType), range.precision == 2 else { return false }
    return range.weight > 0
  }

  /// Returns the weight of a media type in thousandths: that of the most precise range, 0 if none matches.
  public func weight(of mediaType: String) -> Int {
    ranges.isEmpty ? 1000 : match(mediaType)?.weight ?? 0
  }

  private func match(_ mediaType: String) -> Range? {
    let parts = mediaType.split(separator: "/", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return ranges.filter { range in
      (range.type == "*" || range.type == parts[0]) && (range.subtype == "*" || range.subtype == parts[1])
    }.max { ($0.precision, $0.weight) < ($1.precision, $1.weight) }
  }

  private static func range(_ text: Substring) -> Range? {
    let parts = elements(of: text, dividedBy: ";")
    let names = (parts.first ?? "").lowercased().split(separator: "/", omittingEmptySubsequences: false)
    guard names.count == 2, names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isTokenByte) }),
      names[0] != "*" || names[1] == "*"
    else { return nil }
    var weight = 1000
    for parameter in parts.dropFirst() {
      let sides = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, trimmed(sides[0]).lowercased() == "q" else { continue }
      // A weight that cannot be read says that the client cares, and not how.
      weight = self.weight(trimmed(sides[1])) ?? 1000
      break
    }
    return Range(type: names[0], subtype: names[1], weight: weight)
  }

  /// Reads `0`, `0.5` or `1.000`: one digit and at most three more.
  private static func weight(_ text: Substring) -> Int? {
    var digits = text.utf8[...]
    guard let first = digits.popFirst(), first == UInt8(ascii: "0") || first == UInt8(ascii: "1") else {
      return nil
    }
    var value = first == UInt8(ascii: "1") ? 1000 : 0
    guard let point = digits.popFirst() else { return value }
    guard point == UInt8(ascii: "."), digits.count <= 3 else { return nil }
    var place = 100
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value += place * Int(digit - UInt8(ascii: "0"))
      place /= 10
    }
    return value <= 1000 ? value : nil
  }

  /// Divides text, but not inside quotes, and takes white space away.
  private static func elements(of text: some StringProtocol, dividedBy divider: Character) -> [Substring] {
    var result: [Substring] = []
    let text = Substring(text)
    var start = text.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in text.indices {
      let character = text[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else if character == divider, !isQuoted {
        result.append(trimmed(text[start..<index]))
        start = text.index(after: index)
      }
    }
    result.append(trimmed(text[start...]))
    return result
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
