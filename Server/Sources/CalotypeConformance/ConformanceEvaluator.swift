/// Holds the parser, the planner and the negotiation against facts about imgproxy.
///
/// Each fact is evaluated by the code that serves requests; there is no table of answers.
public struct ConformanceEvaluator: Sendable {
  /// Creates an evaluator.
  public init() {}

  /// Returns the verdict on a fact.
  public func evaluate(_ vector: ConformanceVector) -> ConformanceVerdict {
    guard let evaluate = Self.groups[vector.group] else { return .refused("not evaluated yet") }
    do {
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
    "size": SizeCases.evaluate, "size-derived": SizeCases.evaluate, "trim": SizeCases.trim,
    "position": PositionCases.evaluate, "accept": NegotiationCases.accept, "vary": NegotiationCases.vary,
    "hints": NegotiationCases.hints, "format": FormatCases.evaluate, "skip": FormatCases.skip,
    "status": StatusCases.evaluate,
  ]
}
