import CalotypeURLs

/// A sentence about an option, as the same option in its plainest spelling.
enum OptionSentence {
  /// Returns the spelling; `nil` for sentences of no known form.
  static func spelling(_ sentence: String, of option: String) -> String? {
    let name = option.prefix(before: ":")
    let numbers = sentence.split(whereSeparator: { !($0.isNumber || $0 == "." || $0 == "-") }).map(
      String.init)
    let joined = numbers.joined(separator: ":")
    switch name {
    case "background", "bg":
      if sentence.hasSuffix("off") { return "bg:" }
      return sentence.hasPrefix("rgb ") ? "bg:\(joined)" : nil
    case "zoom", "z": return sentence.hasPrefix("zoom ") ? "z:\(joined)" : nil
    case "padding", "pd":
      if sentence.hasPrefix("all sides ") { return "pd:\(joined)" }
      return numbers.count == 4 ? "pd:\(joined)" : nil
    case "crop", "c":
      let shares = ["half": "0.5", "quarter": "0.25", "third": "0.3333333333333333"]
      let words = sentence.split(whereSeparator: { !$0.isLetter }).compactMap { shares[$0.lowercased()] }
      if words.count == 2 { return "c:\(words[0]):\(words[1])" }
      return sentence.contains("whole height") && numbers.count == 1 ? "c:\(joined):0" : nil
    case "trim", "t":
      if sentence.hasPrefix("key magenta") { return "t:\(option.split(separator: ":")[1]):ff00ff" }
      if sentence.contains("off") { return "t:" }
      return sentence.hasPrefix("threshold ") && numbers.count == 1 ? "t:\(joined)" : nil
    case "rotate", "rot":
      return numbers.last.map { "rot:\($0)" }
    case "flip", "fl":
      let sides = ["horizontal", "vertical"].map { sentence.contains($0) || sentence.contains("both") }
      return sides.contains(true) ? "fl:\(sides[0] ? 1 : 0):\(sides[1] ? 1 : 0)" : nil
    case "format_quality", "fq":
      return "fq:"
        + sentence.split(separator: " ").map { $0.replacing("=", with: ":") }.joined(separator: ":")
    case "watermark", "wm": return sentence.hasPrefix("no watermark") ? "wm:0" : nil
    case "filename", "fn": return sentence.split(separator: " ").last.map { "fn:\($0)" }
    case "cachebuster", "cb": return sentence == "cleared" ? "cb:" : nil
    case "expires", "exp": return sentence.hasPrefix("no ") ? "exp:0" : nil
    case "max_src_resolution", "msr":
      return Double(sentence.filter { $0.isNumber }).map { "msr:\($0 / 1_000_000)" }
    case "gravity", "g":
      let words = sentence.split(whereSeparator: { " ,".contains($0) }).map(String.init)
      guard words.first == "gravity", words.count > 1 else { return nil }
      return "g:\(words[1])" + (numbers.isEmpty ? "" : ":\(joined)")
    default: return nil
    }
  }
}
