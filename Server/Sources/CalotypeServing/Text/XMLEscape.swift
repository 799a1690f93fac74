/// Text within documents of XML.
enum XMLEscape {
  /// Returns text as the content of an element: nothing in it is markup.
  static func text(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\r": result += "&#13;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns whether a document may have a character (XML 1.0, 2.2).
  static func allows(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 9, 10, 13: true
    case 0..<32, 0xFFFE, 0xFFFF: false
    default: true
    }
  }
}
