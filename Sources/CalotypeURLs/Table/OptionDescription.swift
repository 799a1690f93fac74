/// An option of URLs, for forms and documentation that are made from the table that reads it.
public struct OptionDescription: Hashable, Sendable {
  /// The arguments of an option.
  public enum Kind: Hashable, Sendable {
    /// A Boolean value.
    case flag
    /// An integer.
    case integer(ClosedRange<Int>)
    /// A number.
    case real
    /// One of several names.
    case choice([String])
    /// Text in base64.
    case base64
    /// Several arguments, or one of another kind.
    case arguments
  }

  /// The full name, then the others; the second is written.
  public let names: [String]
  /// The arguments.
  public let kind: Kind
  /// Whether imgproxy has it in its Pro edition alone.
  public let isPro: Bool
}

extension OptionDescription {
  init(_ row: OptionRow<some Sendable>) {
    self.init(names: row.names, kind: row.kind, isPro: row.isPro)
  }
}
