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
