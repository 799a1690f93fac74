import CalotypeSupport
import CalotypeTerminal
import CalotypeTiers

/// The output of `tiers check`: a line for each probe, below the tier, or JSON.
final class TierReport {
  private let json: Bool
  private var source = ""
  private(set) var hasFailed = false

  private struct Line: Encodable {
    let source: String
    let probe: String
    let verdict: TierFinding.Verdict
    let detail: String
    let consequence: String?
    let milliseconds: Double
    let error: TierFinding.Failure?
  }

  init(json: Bool) {
    self.json = json
  }

  /// The next lines are those of a tier.
  func begin(_ source: String, at server: String?) {
    self.source = source
    if !json { Output.line(source + (server.map { " at \($0)" } ?? "")) }
  }

  func add(_ finding: TierFinding) {
    if finding.verdict == .failed { hasFailed = true }
    if json {
      return Output.json(
        Line(
          source: source, probe: finding.probe, verdict: finding.verdict, detail: finding.detail,
          consequence: finding.consequence, milliseconds: Formatting.milliseconds(finding.duration),
          error: finding.failure))
    }
    let verdict = finding.verdict == .warning ? "warn" : finding.verdict.rawValue
    Output.line(
      "  " + verdict.padded(to: 8) + finding.probe.padded(to: 16)
        + Formatting.duration(finding.duration).leftPadded(to: 7) + "  " + finding.detail
        + (finding.consequence.map { ": \($0)" } ?? ""))
  }

  /// The tier cannot be probed.
  func failed(_ error: any Error) {
    hasFailed = true
    Failure(source: source, error: error).report(asJSON: json)
  }
}
