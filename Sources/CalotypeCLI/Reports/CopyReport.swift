import Calotype
import CalotypeSupport
import CalotypeTerminal
import CalotypeTiers

/// The output of `cache copy`: failures as they come, and totals.
final class CopyReport {
  private let json: Bool
  private let quiet: Bool
  private let display: ProgressDisplay
  private let label: String
  private var totals: Totals
  private var reported = 0
  private var hasBegun = false
  private var hasEnded = false

  /// The most records that are reported one by one.
  private static let maxReported = 1_000

  private struct Totals: Encodable {
    let from: String
    let to: String
    let dryRun: Bool
    var copied = 0
    var bytes = 0
    /// Records that the target has already, or newer ones of.
    var kept = 0
    /// Records that no selection includes.
    var unselected = 0
    var expired = 0
    /// Records that machines may not share.
    var unshared = 0
    /// Records without room in the target, or too long for it.
    var omitted = 0
    var damaged = 0
    var failed = 0

    var count: Int { copied + kept + unselected + expired + unshared + omitted + damaged + failed }
  }

  init(from: String, to: String, isDryRun: Bool, json: Bool, quiet: Bool) {
    (self.json, self.quiet) = (json, quiet)
    label = to
    totals = Totals(from: from, to: to, dryRun: isDryRun)
    display = ProgressDisplay(total: nil, isWanted: !quiet)
  }

  /// Whether a record could not be copied.
  var hasFailed: Bool { totals.omitted + totals.damaged + totals.failed > 0 }

  /// Whether there was no record.
  var isEmpty: Bool { totals.count == 0 }

  /// Both places can be used.
  func begin() { hasBegun = true }

  func add(_ event: RecordCopy.Event) {
    switch event.outcome {
    case .copied(let bytes):
      totals.copied += 1
      totals.bytes += bytes
    case .kept: totals.kept += 1
    case .unselected: totals.unselected += 1
    case .expired: totals.expired += 1
    case .unshared: totals.unshared += 1
    case .gone: break
    case .tooLarge:
      totals.omitted += 1
      tell(event.place, CommandError.uncopied(reason: "it is longer than a record there may be"))
    case .noRoom: totals.omitted += 1
    case .damaged:
      totals.damaged += 1
      tell(event.place, CommandError.uncopied(reason: "it is damaged"))
    case .failed(let error):
      totals.failed += 1
      tell(event.place, error)
    }
    display.update(done: totals.count, bytes: totals.bytes, label: label)
  }

  private func tell(_ place: String, _ error: any Error) {
    reported += 1
    guard reported <= Self.maxReported else { return }
    display.above { Failure(source: place, error: error).report(asJSON: json) }
  }

  /// Prints the totals, also of a copy that was broken off; nothing before it has begun.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    display.close()
    guard hasBegun else { return }
    if json { return Output.json(totals) }
    guard !quiet else { return }
    var text =
      (totals.dryRun ? "would copy " : "copied ")
      + "\(Formatting.count(totals.copied, "record")), \(Formatting.bytes(totals.bytes))"
    let rest = [
      (totals.kept, "there already"), (totals.expired, "expired"), (totals.unshared, "not to be shared"),
      (totals.omitted, "without room"), (totals.damaged, "damaged"), (totals.failed, "failed"),
    ]
    for (count, words) in rest where count > 0 { text += ", \(count) \(words)" }
    Output.line(text + ", from \(totals.from) to \(totals.to)")
  }
}
