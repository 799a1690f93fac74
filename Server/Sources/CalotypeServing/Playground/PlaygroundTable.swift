import CalotypeImaging
import CalotypePlanning
import CalotypeSettings
import CalotypeURLs

/// The options of the playground's form, made from the table that reads URLs.
enum PlaygroundTable {
  /// Returns the table of a server.
  static func object(_ rules: ServingRules) -> JSONValue {
    let dialect = rules.dialect
    let formats = RequestedFormat.allCases.filter { rules.planner.policy.writableFormats.contains($0) }
    let isSigned = !rules.settings.security.keys.isEmpty
    return .object([
      .init("separator", .string(dialect.configuration.separator)),
      .init("isSigned", .flag(isSigned)),
      .init("lifetime", .integer(Int(PlaygroundSigner.lifetime))),
      .init("formats", .array(formats.map { .string($0.rawValue) })),
      .init("presets", .array(dialect.configuration.presets.names.map { .string($0) })),
      .init("options", .array(dialect.optionDescriptions.map(object))),
    ])
  }

  private static func object(_ option: OptionDescription) -> JSONValue {
    var members: [JSONValue.Member] = [.init("names", .array(option.names.map { .string($0) }))]
    switch option.kind {
    case .flag: members.append(.init("kind", .string("flag")))
    case .integer(let range):
      members.append(.init("kind", .string("integer")))
      if range.lowerBound != .min { members.append(.init("min", .integer(range.lowerBound))) }
      // Numbers of scripts are exact up to here.
      if range.upperBound <= 1 << 53 { members.append(.init("max", .integer(range.upperBound))) }
    case .real: members.append(.init("kind", .string("real")))
    case .choice(let names):
      members.append(.init("kind", .string("choice")))
      members.append(.init("choices", .array(names.map { .string($0) })))
    case .base64: members.append(.init("kind", .string("base64")))
    case .arguments: members.append(.init("kind", .string("arguments")))
    }
    if option.isPro { members.append(.init("pro", .flag(true))) }
    return .object(members)
  }
}
