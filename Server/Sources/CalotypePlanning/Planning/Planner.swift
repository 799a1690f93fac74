public import CalotypeImaging
import CalotypeURLs

/// Decides how requests are rendered.
///
/// ```swift
/// let planner = Planner(policy)
/// switch try planner.plan(PlanRequest(options, of: info, accept: AcceptHeader(accept))) {
/// case .passThrough: …                 // the source is the result
/// case .render(let plan):
///   plan.resultSize                    // before anything is decoded
///   plan.cost.milliseconds
/// }
/// ```
///
/// A planner is a pure function: it reads headers, not pixels, and equal requests have equal plans.
public struct Planner: Hashable, Sendable {
  /// The decisions of the server.
  public var policy: PlanningPolicy

  /// Creates a planner.
  public init(_ policy: PlanningPolicy = PlanningPolicy()) { self.policy = policy }

  /// Returns the plan for a request.
  ///
  /// - Parameters:
  ///   - request: The facts.
  ///   - trims: The sizes of the pictures after trims that have been applied, in order; see
  ///     ``RenderPlan/pendingTrim``.
  /// - Throws: ``PlanningError``.
  public func plan(
    _ request: PlanRequest, trimmedTo trims: [PixelSize] = []
  ) throws(PlanningError) -> PlanOutcome {
    var request = request
    let format = RequestedFormat(request.info.format)
    if request.options.raw == true { return .passThrough(PassThroughPlan(.raw, format: format)) }
    let hintHeaders = hint(&request)
    // Spelling and order of options are no part of a plan.
    request.options = request.options.normalized()
    var draft = PlanDraft(policy, request, hintHeaders: hintHeaders, trims: trims)
    if let reason = draft.output.passThrough(skipping: request.options.skipProcessing) {
      try draft.checkSource(frames: 1)
      return .passThrough(PassThroughPlan(reason, format: format))
    }
    return .render(try draft.plan())
  }

  /// Puts client hints in the place of options that were not given, and returns the names of those that could have been.
  private func hint(_ request: inout PlanRequest) -> [String] {
    guard policy.usesClientHints else { return [] }
    let (takesRatio, takesWidth) = (request.options.dpr == nil, request.options.width == nil)
    let hints = request.hints
    if takesRatio, let ratio = hints.dpr { request.options.dpr = ratio }
    if takesWidth, let width = hints.width {
      request.options.width = Rounding.away(Double(width) / (hints.dpr ?? 1))
    }
    // A hinted width is divided by the hinted ratio.
    return (takesRatio || takesWidth ? ["Sec-Ch-Dpr", "Dpr"] : [])
      + (takesWidth ? ["Sec-Ch-Width", "Width"] : [])
  }
}
