import Logging

/// A named value of a line.
public struct LogField: Hashable, Sendable {
  let name: String
  let value: LogValue

  init(name: String, value: LogValue) {
    self.name = name
    self.value = value
  }

  /// A field with a text, which is cut to the bounds of a line.
  public init(_ name: String, _ text: String) {
    self.init(name: name, value: .text(LogValue.cut(text)))
  }

  /// A field with a whole number.
  public init(_ name: String, _ number: Int) {
    self.init(name: name, value: .number(String(number)))
  }

  /// A field with a number; an infinity is a text, because JSON has none.
  public init(_ name: String, _ number: Double) {
    self.init(name: name, value: number.isFinite ? .number("\(number)") : .text("\(number)"))
  }

  /// Metadata as fields in the order of their names.
  static func list(of metadata: Logger.Metadata, depth: Int = 0) -> [LogField] {
    metadata.sorted { $0.key < $1.key }.prefix(LogValue.maxItems).map {
      LogField(name: LogValue.cut($0.key), value: LogValue($0.value, depth: depth))
    }
  }
}
