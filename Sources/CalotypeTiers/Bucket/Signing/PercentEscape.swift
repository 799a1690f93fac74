/// Percent-escaping as AWS Signature Version 4 demands it: everything but `A`–`Z`, `a`–`z`, `0`–`9`, `-`, `.`, `_` and
/// `~` (RFC 3986 §2.3) becomes `%XX` in upper case.
enum PercentEscape {
  private static let digits = Array("0123456789ABCDEF".utf8)
  private static let isPlain: [Bool] = (0...255).map { byte in
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8.contains(UInt8(byte))
  }

  /// Appends the escaped text.
  ///
  /// - Parameter keepsSlashes: Whether `/` stays, as in paths.
  static func append(_ text: some StringProtocol, to result: inout [UInt8], keepsSlashes: Bool = false) {
    for byte in text.utf8 {
      if isPlain[Int(byte)] || (keepsSlashes && byte == UInt8(ascii: "/")) {
        result.append(byte)
      } else {
        result.append(UInt8(ascii: "%"))
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
      }
    }
  }

  /// Returns the query to send and to sign: sorted after escaping, because escaping changes the order.
  static func query(_ parameters: [(name: String, value: String)]) -> [UInt8] {
    var pairs = parameters.map { parameter in
      var name: [UInt8] = []
      var value: [UInt8] = []
      append(parameter.name, to: &name)
      append(parameter.value, to: &value)
      return (name: name, value: value)
    }
    pairs.sort { left, right in
      left.name == right.name
        ? left.value.lexicographicallyPrecedes(right.value) : left.name.lexicographicallyPrecedes(right.name)
    }
    var result: [UInt8] = []
    for pair in pairs {
      if !result.isEmpty { result.append(UInt8(ascii: "&")) }
      result += pair.name
      result.append(UInt8(ascii: "="))
      result += pair.value
    }
    return result
  }
}
