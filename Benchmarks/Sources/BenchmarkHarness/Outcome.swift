/// What came of a benchmark.
public enum Outcome: Hashable, Sendable {
  /// Time, compared with a limit.
  case measured(Measurement)
  /// Memory, compared with the output.
  case memory(PeakMemory)
  /// Many pieces of work by whole processes.
  case throughput(Throughput)
  /// An amount, compared with a limit.
  case quantity(Quantity)
  /// Nothing, because something is not there.
  case skipped(reason: String)

  /// The amount as a multiple of the limit's; MiB besides the output for memory.
  public var ratio: Double? {
    switch self {
    case .measured(let it): it.ratio
    case .memory(let it): it.overhead
    case .throughput(let it): it.perSecond / max(it.limitPerSecond, 1e-9)
    case .quantity(let it): it.ratio
    case .skipped: nil
    }
  }
}

/// What a benchmark has to keep.
public enum Bar: Hashable, Sendable {
  /// At most so many times the limit's CPU time, or the limit of a quantity.
  case ratio(Double)
  /// That, and at most as many bytes.
  case ratioWithoutMoreBytes(Double)
  /// At most so many MiB of memory besides the output.
  case mebibytes(Double)
}

/// A benchmark cannot run here.
public struct Skipped: Error {
  /// What is missing, and what to do.
  public let reason: String

  /// Creates the reason.
  public init(reason: String) {
    self.reason = reason
  }
}

/// A benchmark's outcome under its name, held against its bar.
public struct BenchmarkResult: Hashable, Sendable {
  /// How an outcome stands to its bar.
  public enum Verdict: String, Hashable, Sendable {
    /// At the bar or better.
    case kept = "yes"
    /// Over it by no more than the spread.
    case withinSpread = "nearly"
    /// Over it.
    case missed = "NO"
  }

  /// The benchmark.
  public let name: String
  /// What it has to keep, if anything.
  public let bar: Bar?
  /// What came of it.
  public let outcome: Outcome

  /// Creates a result.
  public init(name: String, bar: Bar?, outcome: Outcome) {
    self.name = name
    self.bar = bar
    self.outcome = outcome
  }

  /// How the outcome stands to the bar; `nil` without either.
  public var verdict: Verdict? {
    switch (bar, outcome) {
    case (.ratio(let bar)?, .measured(let measurement)):
      verdict(measurement, bar)
    case (.ratioWithoutMoreBytes(let bar)?, .measured(let measurement)):
      (measurement.byteCount ?? .max) > (measurement.limitByteCount ?? 0)
        ? .missed : verdict(measurement, bar)
    case (.ratio(let bar)?, .quantity(let quantity)):
      quantity.ratio <= bar ? .kept : .missed
    case (.mebibytes(let bar)?, .memory(let memory)):
      memory.overhead <= bar ? .kept : .missed
    default:
      nil
    }
  }

  private func verdict(_ measurement: Measurement, _ bar: Double) -> Verdict {
    if measurement.ratio <= bar { return .kept }
    return measurement.ratio - measurement.spread <= bar ? .withinSpread : .missed
  }
}
