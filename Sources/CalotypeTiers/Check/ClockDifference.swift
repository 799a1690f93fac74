import CalotypeSupport
import FoundationEssentials

/// The difference of a server's clock from ours, by the `Date` of an answer. Pure.
struct ClockDifference: Hashable, Sendable {
  /// Seconds that the server's clock is ahead; `nil` if the answer does not tell.
  let seconds: Int?

  /// Servers refuse signatures that are further off.
  static let tolerance = 900
  /// A difference that the duration of a request explains.
  static let usual = 5

  init(date: String?, now: Date) {
    guard let date, let ours = Int(exactly: now.timeIntervalSince1970.rounded(.down)),
      let theirs = HTTPDate(date, now: ours)
    else {
      seconds = nil
      return
    }
    seconds = theirs.secondsSince1970 - ours
  }

  var outcome: TierFinding.Outcome {
    guard let seconds else {
      return .cannot(
        "answers have no Date", "a wrong clock of this machine could not be told from wrong keys")
    }
    let text =
      abs(seconds) <= Self.usual
      ? "equal within \(Self.usual) s" : "the server is \(abs(seconds)) s \(seconds > 0 ? "ahead" : "behind")"
    if abs(seconds) <= BucketClock.tolerance { return .ok(text) }
    return .warning(
      text,
      abs(seconds) > Self.tolerance
        ? "signatures are refused; Calotype corrects them after the first refusal: set the clock"
        : "beyond \(Self.tolerance) s, signatures are refused: set the clock")
  }
}
