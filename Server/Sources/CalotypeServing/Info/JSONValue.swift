/// A value of JSON whose objects keep the order of their members.
enum JSONValue: Hashable, Sendable {
  case string(String)
  case integer(Int)
  case number(Double)
  case flag(Bool)
  case array([JSONValue])
  case object([Member])

  /// A member of an object.
  struct Member: Hashable, Sendable {
    let name: String
    let value: JSONValue

    init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
  }

  /// The text, without spaces.
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .string(let value): Self.write(value, to: &text)
    case .integer(let value): text += String(value)
    // JSON has no others.
    case .number(let value): text += value.isFinite ? String(value) : "null"
    case .flag(let value): text += value ? "true" : "false"
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.name, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      // Markup that a careless page might insert stays text.
      case "<", ">", "&", "\u{2028}", "\u{2029}", "\u{0}"..<" ", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
