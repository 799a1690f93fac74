/// The decision on a request.
public enum PlanOutcome: Hashable, Sendable {
  /// The source is rendered.
  case render(RenderPlan)
  /// The bytes of the source are the result.
  case passThrough(PassThroughPlan)
}
