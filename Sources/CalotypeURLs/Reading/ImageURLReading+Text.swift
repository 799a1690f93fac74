extension ImageURLReading {
  /// The reading as lines for people. Characters that would change a terminal are escaped.
  public var lines: [String] {
    var rows: [(String, String, String)] = []
    switch signature {
    case .valid: rows.append(("signature", "valid", keyID.map { "of the key \($0)" } ?? ""))
    case .trusted: rows.append(("signature", "trusted", "a text that stands for one"))
    case .invalid: rows.append(("signature", "invalid", ""))
    case .unchecked: rows.append(("signature", "not checked", "there are no keys"))
    case nil: rows.append(("signature", "missing", ""))
    }
    for option in options {
      var remarks = [option.meaning]
      if let preset = option.preset { remarks.append("of the preset \(preset)") }
      if option.pipeline > 0 { remarks.append("in pipeline \(option.pipeline + 1)") }
      rows.append((option.name, option.arguments.joined(separator: " "), remarks.joined(separator: "; ")))
    }
    if let format { rows.append(("format", format.name, "of the result")) }
    if let source, let sourceForm { rows.append(("source", source, sourceForm.rawValue)) }
    for notice in notices { rows.append(("notice", notice.kind.rawValue, notice.place.text)) }
    if let fault { rows.append(("refused", "\(fault.code) (\(fault.status))", fault.description)) }
    return rows.map { name, value, remark in
      let left = Self.padded(name, 20) + Self.padded(value, 24)
      return SafeText.escaped(remark.isEmpty ? Self.trimmed(left) : left + remark)
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(2, width - text.count))
  }

  private static func trimmed(_ text: String) -> String {
    String(text.reversed().drop { $0 == " " }.reversed())
  }
}
