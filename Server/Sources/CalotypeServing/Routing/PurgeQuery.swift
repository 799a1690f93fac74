import CalotypeResults

/// Reads what `POST /purge` is to remove: one parameter of the query, percent-encoded.
///
///     /purge?source=https%3A%2F%2Fimages.example%2Fcat.jpg
///     /purge?prefix=https%3A%2F%2Fimages.example%2F
///     /purge?tag=cats
///     /purge?identity=9f86d081884c7d659a2feaa0c55ad015
///     /purge?all=1
enum PurgeQuery {
  /// Returns the selection of a request target; `nil` if it has none, or several.
  static func selection(in target: String) -> PurgeSelection? {
    guard let mark = target.firstIndex(of: "?") else { return nil }
    let parameters = target[target.index(after: mark)...].split(
      separator: "&", omittingEmptySubsequences: true)
    guard parameters.count == 1, let parameter = parameters.first,
      let sign = parameter.firstIndex(of: "="),
      let value = decoded(parameter[parameter.index(after: sign)...]), !value.isEmpty
    else { return nil }
    switch parameter[..<sign] {
    case "source": return .source(value)
    case "prefix": return .prefix(value)
    case "tag": return .tag(value)
    case "identity": return .identity(value)
    case "all": return value == "1" || value == "true" ? .all : nil
    default: return nil
    }
  }

  /// Returns a text without its percent-encoding; `nil` if it is malformed, or not UTF-8.
  private static func decoded(_ text: Substring) -> String? {
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
