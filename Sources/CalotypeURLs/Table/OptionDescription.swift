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

extension ImgproxyDialect {
  /// The options that URLs of this dialect may have, in the order in which they are written; none if URLs name presets alone.
  public var optionDescriptions: [OptionDescription] {
    guard !configuration.onlyPresets else { return [] }
    let all =
      OptionTable.stage.map { OptionDescription($0) } + OptionTable.whole.map { OptionDescription($0) }
    return all.filter { description in
      guard configuration.edition == .pro || !description.isPro else { return false }
      if case .whole(let row) = OptionTable.entries[description.names[0]],
        (try? meet(row.requirement, of: row.names[0], at: nil)) == nil
      {
        return false
      }
      guard let allowed = configuration.allowedOptions, !allowed.isEmpty else { return true }
      return configuration.allowedOptionsCoverSynonyms
        ? description.names.contains(where: allowed.contains)
        : allowed.contains(description.names.count > 1 ? description.names[1] : description.names[0])
    }
  }
}

extension OptionDescription {
  fileprivate init(_ row: OptionRow<some Sendable>) {
    self.init(names: row.names, kind: row.kind, isPro: row.isPro)
  }
}
