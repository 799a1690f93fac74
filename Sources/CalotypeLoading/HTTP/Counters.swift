import CalotypeSupport

extension HTTPLoader {
  /// The statistics of a loader.
  final class Counters: Sendable {
    private let statistics = Lock(Statistics())

    var current: Statistics { statistics.withLock { $0 } }

    func count(_ change: (inout Statistics) -> Void) {
      statistics.withLock { change(&$0) }
    }
  }

  /// The clock and the random numbers, which tests replace.
  package struct Timing: Sendable {
    package var now: @Sendable () -> ContinuousClock.Instant
    package var sleep: @Sendable (Duration) async throws -> Void
    package var random: @Sendable () -> Double

    package init(
      now: @escaping @Sendable () -> ContinuousClock.Instant,
      sleep: @escaping @Sendable (Duration) async throws -> Void, random: @escaping @Sendable () -> Double
    ) {
      self.now = now
      self.sleep = sleep
      self.random = random
    }

    package static let real = Timing(
      now: { ContinuousClock.now }, sleep: { try await Task.sleep(for: $0) }, random: { .random(in: 0...1) })
  }
}
