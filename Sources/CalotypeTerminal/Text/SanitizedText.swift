/// Text that comes from others, such as names, header fields and messages, made so that it cannot do anything but be
/// read.
///
/// Characters that move the cursor, change the order in which text is shown, or are not seen at all are written as
/// escapes: control characters (C0, DEL, C1), line and paragraph separators, format characters (among them all that
/// change the direction of text, and tags) and others that are shown as nothing (`Default_Ignorable_Code_Point` of
/// Unicode).
package enum SanitizedText {
  /// Text for a terminal, in one line: `\n`, `\u{1B}`. Backslashes stay as they are, so that it is for people only.
  ///
  /// Joiners and variation selectors stay where they belong, directly behind a visible character that is not ASCII.
  /// Emoji, Persian and the scripts of India are not to be read without them, and there they only shape what is seen.
  package static func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var result = String.UnicodeScalarView()
    // The last character, if it stayed as it is.
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if !isHarmful(scalar) || last.map({ isShaped($0, by: scalar) }) == true {
        result.append(scalar)
        last = scalar
      } else {
        result.append(contentsOf: escape(scalar).unicodeScalars)
        last = nil
      }
    }
    return String(result)
  }

  /// JSON with the same characters as escapes of JSON, `\u001b`: means what it meant before.
  ///
  /// - Parameter json: Well-formed JSON. Only strings hold such characters there, once it is in one line.
  package static func escaped(json: String) -> String {
    if json.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return json }
    var result = ""
    result.reserveCapacity(json.utf8.count)
    for scalar in json.unicodeScalars {
      guard isHarmful(scalar) else {
        result.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result
  }

  /// Whether a character never leaves the process as it is.
  package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// Joiners, and the selectors of text and emoji; not those that choose among ideographs (U+E0100 and above), of which
  /// few terminals know anything.
  package static func shapes(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200C, 0x200D, 0xFE00...0xFE0F: true
    default: false
    }
  }

  /// Whether a joiner or selector belongs behind a character: a selector may be joined in turn, and that is all.
  private static func isShaped(_ last: Unicode.Scalar, by scalar: Unicode.Scalar) -> Bool {
    guard shapes(scalar), !last.isASCII else { return false }
    return shapes(last) ? last.properties.isVariationSelector && scalar == "\u{200D}" : true
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }
}
