/// Holds the code that serves requests, from the settings to the response, against facts about imgproxy.
///
/// Each fact is evaluated by the code that serves requests; there is no table of answers.
public struct ConformanceEvaluator: Sendable {
  /// The folder of the pictures that vectors name; `nil` if they are not at hand.
  public var pictures: String?

  /// Creates an evaluator.
  public init(pictures: String? = nil) { self.pictures = pictures }

  /// Returns the verdict on a fact.
  public func evaluate(_ vector: ConformanceVector) async -> ConformanceVerdict {
    do {
      if vector.group == "trim" { return try TrimCases.evaluate(vector, pictures: pictures) }
      if ServedCases.groups.contains(vector.group) { return try await ServedCases.evaluate(vector) }
      if vector.group == "preset", vector.input.contains("PRESETS_PATH=") {
        return try SettingCases.presetFile(vector)
      }
      guard let evaluate = Self.groups[vector.group] else { return .refused("not evaluated yet") }
      return try evaluate(vector)
    } catch {
      return .answer("error: \(error)", agrees: false)
    }
  }

  typealias Evaluation = @Sendable (ConformanceVector) throws -> ConformanceVerdict

  private static let groups: [String: Evaluation] = [
    "sig": SignatureCases.evaluate, "path": PathCases.split, "redenormalise": PathCases.repair,
    "source": PathCases.source, "encrypt": EncryptionCases.evaluate, "option": OptionCases.evaluate,
    "allow": OptionCases.allow, "preset": PresetCases.evaluate, "client-url": ClientURLCases.evaluate,
    "size": SizeCases.evaluate, "size-derived": SizeCases.evaluate,
    "position": PositionCases.evaluate, "accept": NegotiationCases.accept, "vary": NegotiationCases.vary,
    "hints": NegotiationCases.hints, "format": FormatCases.evaluate, "skip": FormatCases.skip,
    "address": AddressCases.evaluate, "env": SettingCases.evaluate,
    "cache-control": CacheControlCases.evaluate, "header": FieldCases.header,
    "disposition": FieldCases.disposition, "conditional-request": FieldCases.conditionalRequest,
    "conditional-response": FieldCases.conditionalResponse,
  ]
}
