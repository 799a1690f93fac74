/// Reads the parameters of a query, percent-encoded.
enum QueryText {
  /// A parameter.
  typealias Parameter = (name: String, value: String)

  /// Returns the parameters of a request target; `nil` if one is malformed, or not UTF-8.
  static func parameters(of target: String) -> [Parameter]? {
    guard let mark = target.firstIndex(of: "?") else { return [] }
    var result: [Parameter] = []
    for part in target[target.index(after: mark)...].split(separator: "&") {
      let sign = part.firstIndex(of: "=") ?? part.endIndex
      guard let name = decoded(part[..<sign]), let value = decoded(part[sign...].dropFirst()) else {
        return nil
      }
      result.append((name, value))
    }
    return result
  }

  /// Returns a text without its percent-encoding; `nil` if it is malformed, or not UTF-8.
  static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let first = rest.popFirst().flatMap(digit), let second = rest.popFirst().flatMap(digit) else {
        return nil
      }
      bytes.append(first << 4 | second)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}
