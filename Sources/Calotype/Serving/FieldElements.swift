/// The elements of one line of a list field (RFC 9110 §5.6.1), trimmed, without the empty ones.
///
/// Commas between quotes belong to an element; an unclosed quote extends its element to the end of the line.
struct FieldElements: Sequence, IteratorProtocol {
  /// The rule for a backslash between quotes.
  enum Quoting {
    /// It escapes the next character, as in quoted strings (RFC 9110 §5.6.4).
    case strings
    /// It is an ordinary character, as in entity tags (RFC 9110 §8.8.3).
    case entityTags
  }

  private var rest: ArraySlice<UInt8>
  private let quoting: Quoting

  init(_ line: String, quoting: Quoting) {
    self.init(Array(line.utf8)[...], quoting: quoting)
  }

  init(_ line: ArraySlice<UInt8>, quoting: Quoting) {
    rest = line
    self.quoting = quoting
  }

  mutating func next() -> ArraySlice<UInt8>? {
    while !rest.isEmpty {
      let end = endOfElement
      var element = rest[..<end].drop(while: FieldReader.isWhitespace)
      rest = rest[end...].dropFirst()
      while let last = element.last, FieldReader.isWhitespace(last) { element = element.dropLast() }
      if !element.isEmpty { return element }
    }
    return nil
  }

  /// The index of the comma after the first element, or the end.
  private var endOfElement: Int {
    var isQuoted = false
    var isEscaped = false
    for index in rest.indices {
      switch rest[index] {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isQuoted && quoting == .strings: isEscaped = true
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted: return index
      default: break
      }
    }
    return rest.endIndex
  }
}
