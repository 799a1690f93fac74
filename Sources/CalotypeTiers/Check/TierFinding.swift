/// The result of one probe of a tier: what was found, how long it took, and what it means for Calotype.
package struct TierFinding: Hashable, Sendable {
  /// The judgement of a probe.
  package enum Verdict: String, Hashable, Codable, Sendable {
    /// It does what it should.
    case ok
    /// It does, in a way that an operator should know about.
    case warning
    /// It cannot, and Calotype works without.
    case cannot
    /// It does not, and Calotype needs it; or the probe got no answer.
    case failed
  }

  /// A failure with a stable name.
  package struct Failure: Hashable, Codable, Sendable {
    /// Such as `bucketRefused`.
    package let code: String
    /// The reason, without secrets.
    package let message: String
  }

  /// The result of a probe without its name and time.
  struct Outcome: Hashable, Sendable {
    var verdict: Verdict
    var detail: String
    var consequence: String?
    var failure: Failure?

    static func ok(_ detail: String) -> Outcome { Outcome(verdict: .ok, detail: detail) }

    static func warning(_ detail: String, _ consequence: String) -> Outcome {
      Outcome(verdict: .warning, detail: detail, consequence: consequence)
    }

    static func cannot(_ detail: String, _ consequence: String) -> Outcome {
      Outcome(verdict: .cannot, detail: detail, consequence: consequence)
    }

    static func failed(_ detail: String, _ consequence: String? = nil, code: String) -> Outcome {
      Outcome(
        verdict: .failed, detail: detail, consequence: consequence,
        failure: Failure(code: code, message: detail))
    }
  }

  /// The stable name of the probe, such as `ifNoneMatch`.
  package let probe: String
  /// The judgement.
  package let verdict: Verdict
  /// The finding, in words.
  package let detail: String
  /// The consequence for Calotype; `nil` if all is well.
  package let consequence: String?
  /// The failure, of a probe that failed.
  package let failure: Failure?
  /// The time that the probe took.
  package let duration: Duration

  init(_ probe: String, _ outcome: Outcome, duration: Duration) {
    self.probe = probe
    verdict = outcome.verdict
    detail = outcome.detail
    consequence = outcome.consequence
    failure = outcome.failure
    self.duration = duration
  }
}
