/// The attributes of `span`.
extension MarkupStyle {
  /// Applies an attribute.
  ///
  /// - Throws: ``MarkupError`` that names an unknown attribute, or a value that cannot be read.
  mutating func apply(_ name: String, _ value: String) throws(MarkupError) {
    switch name {
    case "foreground", "fgcolor", "color": color = try Self.color(value)
    case "size", "font_size": size = try size(value)
    case "font_weight", "weight": weight = try Self.weight(value)
    case "font_style", "style":
      guard ["normal", "oblique", "italic"].contains(value) else {
        throw Self.invalid(name, value, "normal, oblique or italic")
      }
      slope = value
    default:
      throw MarkupError(
        "the attribute \(name.debugDescription) of span is not supported",
        remedy: "use foreground, size, font_weight or font_style")
    }
  }

  private static func invalid(_ name: String, _ value: String, _ expected: String) -> MarkupError {
    MarkupError("\(name)=\(value.prefix(32).debugDescription) cannot be read", remedy: "use \(expected)")
  }

  private static let colors: Set<String> = [
    "aqua", "black", "blue", "cyan", "fuchsia", "gold", "gray", "green", "lime", "magenta", "maroon", "navy",
    "olive", "orange", "pink", "purple", "red", "silver", "teal", "violet", "white", "yellow",
  ]

  private static func color(_ value: String) throws(MarkupError) -> String {
    let text = value.lowercased()
    if colors.contains(text) { return text }
    let digits = text.utf8.dropFirst()
    guard text.hasPrefix("#"), [3, 6, 8].contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else {
      throw invalid(
        "foreground", value, "#rgb, #rrggbb, #rrggbbaa or one of \(colors.sorted().joined(separator: ", "))")
    }
    return text
  }

  /// A number of 1024ths of a point, points with a unit, a name, or a step from the size around it.
  private func size(_ value: String) throws(MarkupError) -> Double {
    // The steps of Pango.
    let step = 1.2
    let names = [
      "xx-small": -3.0, "x-small": -2, "small": -1, "medium": 0, "large": 1, "x-large": 2, "xx-large": 3,
    ]
    var result: Double?
    if let exponent = names[value] {
      result = (0..<Int(exponent.magnitude)).reduce(Self.standardSize) { size, _ in
        exponent > 0 ? size * step : size / step
      }
    } else if value == "larger" {
      result = size * step
    } else if value == "smaller" {
      result = size / step
    } else if value.hasSuffix("pt") {
      result = Self.number(value.dropLast(2))
    } else {
      result = Self.number(value[...]).map { $0 / 1024 }
    }
    guard let result, Self.sizes.contains(result) else {
      throw Self.invalid(
        "size", value,
        "1024ths of a point, 12pt, a name such as x-large, smaller or larger, for 1 to 400 points")
    }
    return result
  }

  /// A decimal number without sign and exponent.
  private static func number(_ text: Substring) -> Double? {
    guard !text.isEmpty, text.utf8.count <= 12,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Double(text)
  }

  private static func weight(_ value: String) throws(MarkupError) -> Int {
    let names = [
      "thin": 100, "ultralight": 200, "light": 300, "book": 380, "normal": 400, "medium": 500,
      "semibold": 600,
      "bold": 700, "ultrabold": 800, "heavy": 900,
    ]
    if let weight = names[value] { return weight }
    guard value.utf8.count <= 4, let weight = Int(value), (100...1000).contains(weight) else {
      throw invalid(
        "font_weight", value, "100 to 1000, or one of \(names.keys.sorted().joined(separator: ", "))")
    }
    return weight
  }
}
