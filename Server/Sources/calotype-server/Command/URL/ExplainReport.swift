import CalotypePlanning
import CalotypeResults
import CalotypeServing
import CalotypeURLs

/// A URL, and the plan of a source for it.
struct ExplainReport: Encodable, Sendable {
  private let url: ImageURLReading
  private var plan: PlanExplanation?
  private var problem: Problem?

  private struct Problem: Encodable, Sendable {
    let code: String
    let message: String
  }

  init(
    _ url: String, of source: ExplainedSource, accept: String, _ rules: ServingRules, at now: Int64
  ) {
    self.url = ImageURLReading(url, rules.dialect, at: now)
    guard let options = self.url.processing, let text = self.url.source else { return }
    do {
      _ = try rules.sources.resolve(text)
    } catch {
      problem = Problem(code: error.reason.rawValue, message: error.detail)
    }
    let request = PlanRequest(
      options, of: source.info, accept: AcceptHeader(accept), byteCount: source.byteCount)
    do throws(PlanningError) {
      plan = PlanExplanation(try rules.planner.plan(request), of: source.info)
    } catch {
      problem = Problem(code: Failure(error).reason.rawValue, message: error.description)
    }
  }

  /// Whether the server would make an image.
  var isAccepted: Bool { url.fault == nil && problem == nil && plan != nil }

  var lines: [String] {
    url.lines + (plan?.lines ?? []) + (problem.map { ["refused     \($0.code): \($0.message)"] } ?? [])
  }
}
