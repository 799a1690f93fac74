/// Reads one `Cache-Control` field (RFC 9111 §5.2), directive by directive, in one pass.
///
/// It never fails: a malformed directive gets a malformed argument, so that later directives are still read.
struct DirectiveReader: IteratorProtocol {
  enum Argument: Hashable {
    case none
    /// Without quotes.
    case text(String)
    case malformed
  }

  struct Directive: Hashable {
    /// In lower case.
    let name: String
    let argument: Argument
  }

  private var rest: ArraySlice<UInt8>
  /// An unclosed quote would swallow later directives, such as `no-store`. After the first unclosed quote, quotes count
  /// as ordinary characters.
  private var takesQuotes = true

  init(_ text: String) {
    rest = Array(text.utf8)[...]
  }

  mutating func next() -> Directive? {
    rest = rest.drop { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
    guard !rest.isEmpty else { return nil }
    let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "=") } ?? rest.endIndex
    let name = rest[..<end]
    let trimmed = Self.trimmed(name)
    rest = rest[end...]
    let lowercased = String(decoding: trimmed, as: UTF8.self).lowercased()
    guard rest.first == UInt8(ascii: "=") else { return Directive(name: lowercased, argument: .none) }
    rest.removeFirst()
    let argument = readArgument()
    // The grammar has no spaces around the sign.
    return Directive(name: lowercased, argument: trimmed.count == name.count ? argument : .malformed)
  }

  private mutating func readArgument() -> Argument {
    if takesQuotes, rest.first == UInt8(ascii: "\"") {
      if let text = readQuoted() {
        let tail = readToComma()
        return tail.allSatisfy(Self.isSpace) ? .text(text) : .malformed
      }
      takesQuotes = false
    }
    let raw = readToComma()
    let text = Self.trimmed(raw)
    guard let first = raw.first, !Self.isSpace(first), !text.contains(UInt8(ascii: "\"")) else {
      return .malformed
    }
    return .text(String(decoding: text, as: UTF8.self))
  }

  /// Reads a quoted string from the front; `nil` if it has no end.
  private mutating func readQuoted() -> String? {
    var text: [UInt8] = []
    var index = rest.startIndex + 1
    while index < rest.endIndex {
      switch rest[index] {
      case UInt8(ascii: "\""):
        rest = rest[(index + 1)...]
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\") where index + 1 < rest.endIndex:
        index += 1
        text.append(rest[index])
      default:
        text.append(rest[index])
      }
      index += 1
    }
    return nil
  }

  private mutating func readToComma() -> ArraySlice<UInt8> {
    let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes
  }
}
