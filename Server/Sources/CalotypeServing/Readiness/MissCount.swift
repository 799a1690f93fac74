/// Counts probes in a row that failed: a pure value.
///
/// Probes at the same time count once.
struct MissCount: Hashable, Sendable {
  private(set) var misses = 0

  /// Counts the end of a probe.
  ///
  /// - Parameter before: The count when it began.
  mutating func end(isAlive: Bool, before: Int) {
    if isAlive {
      misses = 0
    } else if misses == before {
      misses += 1
    }
  }
}
