import Logging

/// A value of metadata, cut to the bounds of a line.
enum LogValue: Hashable, Sendable {
  case text(String)
  /// A number, as text.
  case number(String)
  case list([LogValue])
  case fields([LogField])

  /// Most bytes of a text.
  static let maxBytes = 2048
  /// Most items of a list, and fields of an object.
  static let maxItems = 64
  /// Deepest nesting.
  static let maxDepth = 4

  init(_ value: Logger.MetadataValue, depth: Int = 0) {
    switch value {
    case .string(let text): self = .text(Self.cut(text))
    case .stringConvertible(let value): self = Self.numeric(value) ?? .text(Self.cut("\(value)"))
    case .array(let values):
      self =
        depth < Self.maxDepth
        ? .list(values.prefix(Self.maxItems).map { LogValue($0, depth: depth + 1) }) : .text("…")
    case .dictionary(let values):
      self =
        depth < Self.maxDepth ? .fields(LogField.list(of: values, depth: depth + 1)) : .text("…")
    @unknown default: self = .text(Self.cut("\(value)"))
    }
  }

  /// A number as JSON has it; `nil` for infinities, and for all that is none.
  private static func numeric(_ value: any CustomStringConvertible) -> LogValue? {
    switch value {
    case let value as any BinaryInteger: .number("\(value)")
    case let value as Double where value.isFinite: .number("\(value)")
    default: nil
    }
  }

  /// The beginning of a text, whole characters of UTF-8.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > maxBytes else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: maxBytes)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return String(text[..<end]) + "…"
  }
}
