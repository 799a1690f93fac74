/// Writes texts of TOML.
enum TOMLText {
  /// A string with its quotation marks, in single ones if it has backslashes.
  static func string(_ text: String) -> String {
    let needsEscapes = text.utf8.contains {
      $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
    }
    if !needsEscapes { return "\"\(text)\"" }
    if !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "'") }) {
      return "'\(text)'"
    }
    // The escapes of JSON are among those of TOML.
    return JSONText.string(text)
  }
}
