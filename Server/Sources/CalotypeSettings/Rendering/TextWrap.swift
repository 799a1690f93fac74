/// Breaks texts into lines.
enum TextWrap {
  /// The lines of a text of words, each of at most `width` characters unless a word is longer.
  static func lines(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var length = 0
    for word in text.split(separator: " ") {
      if !line.isEmpty, length + 1 + word.count > width {
        lines.append(line)
        line = ""
        length = 0
      }
      if !line.isEmpty {
        line += " "
        length += 1
      }
      line += word
      length += word.count
    }
    return lines + (line.isEmpty && !lines.isEmpty ? [] : [line])
  }
}
