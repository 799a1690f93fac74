import Calotype
import Dispatch
import Glibc
import Synchronization

/// Looks at the process every 50 milliseconds, from a thread of its own, so that it sees a pool that does not go on; and
/// at the statistics of the pipeline as often as they are to be had.
final class SoakMonitor: Sendable {
  private struct State {
    var isWatching = true
    var peak = ProcessGauges()
    var peaks: [String: Int] = [:]
    /// The most callers that have waited at a time.
    var callers = 0
    /// When statistics came last; `nil` while nobody asks.
    var answered: Duration?
  }

  private let bounds: SoakBounds
  private let record: SoakRecord
  private let state = Mutex(State())
  /// Called about every second, and when it takes too long.
  private let progress: @Sendable (SoakMonitor) -> Void
  private let giveUp: @Sendable (SoakMonitor) -> Never
  private let limit: Duration

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - bounds: What must hold.
  ///   - record: Who is told.
  ///   - limit: How long it may take until ``stop()``.
  ///   - progress: Called about every second.
  ///   - giveUp: Called when it takes longer.
  init(
    _ bounds: SoakBounds, _ record: SoakRecord, limit: Duration,
    progress: @escaping @Sendable (SoakMonitor) -> Void, giveUp: @escaping @Sendable (SoakMonitor) -> Never
  ) {
    self.bounds = bounds
    self.record = record
    self.limit = limit
    self.progress = progress
    self.giveUp = giveUp
    DispatchQueue(label: "calotype-soak monitor", qos: .userInteractive).async { self.watch() }
  }

  /// The most there has been of memory, threads and descriptors.
  var peak: ProcessGauges { state.withLock { $0.peak } }
  /// The most there has been of the numbers in the statistics.
  var peaks: [String: Int] { state.withLock { $0.peaks } }

  /// The most bytes that may be resident by now.
  var residentBound: Int { bounds.residentBytes(callers: state.withLock { $0.callers }) }

  func stop() { state.withLock { $0.isWatching = false } }

  private func watch() {
    var sample = 0
    while state.withLock({ $0.isWatching }) {
      look()
      sample += 1
      if sample % 20 == 0 {
        record.checkOverdue()
        progress(self)
      }
      // As the documentation has it for servers: Operations, "Memory".
      if sample % 100 == 0 { ProcessAllocator.trim() }
      if record.elapsed > limit {
        record.breach("end of the run, seconds", record.elapsed / .seconds(1), bound: limit / .seconds(1))
        giveUp(self)
      }
      usleep(50_000)
    }
  }

  private func look() {
    let now = ProcessGauges.now
    let answered = state.withLock { state in
      state.peak = state.peak.maximum(now)
      state.callers = max(state.callers, record.waitingCallers)
      return state.answered
    }
    record.check("resident bytes", now.residentBytes, bound: residentBound)
    record.check("threads", now.threads, bound: bounds.baseline.threads + SoakBounds.threads)
    record.check(
      "descriptors", now.descriptors, bound: bounds.baseline.descriptors + SoakBounds.descriptors)
    // Whether the pipeline does not answer or the pool does not go on.
    if let answered, record.elapsed - answered > bounds.canary {
      record.breach(
        "statistics without an answer, seconds", (record.elapsed - answered) / .seconds(1),
        bound: bounds.canary / .seconds(1))
    }
  }

  /// Looks at the statistics of a pipeline until the task is cancelled.
  func watch(_ pipeline: ImagePipeline) async {
    var peak = 0
    while !Task.isCancelled {
      let statistics = await Self.statistics(of: pipeline)
      let now = record.elapsed
      state.withLock { $0.answered = now }
      for (name, bound, value) in SoakBounds.statistics {
        let value = value(statistics)
        state.withLock { $0.peaks[name] = max($0.peaks[name] ?? 0, value) }
        record.check(name, value, bound: bound)
      }
      // What was reached between two looks.
      if statistics.peakHeldBytes > peak {
        peak = statistics.peakHeldBytes
        record.check("peakHeldBytes", peak, bound: SoakBounds.memory)
      }
      try? await Task.sleep(for: .milliseconds(50))
    }
    state.withLock { $0.answered = nil }
  }

  /// The statistics, with a hop to the pipeline.
  static func statistics(of pipeline: isolated ImagePipeline) -> ImagePipeline.Statistics {
    pipeline.statistics
  }
}
