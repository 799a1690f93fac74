/// The generations of purges in which sources were last loaded. A pure value.
///
/// A source that was forgotten counts as loaded before all purges: it is then loaded once more than it has to be.
struct LoadGenerations: Sendable {
  /// The number of sources that are remembered.
  let capacity: Int
  private var generations: [String: Int] = [:]
  /// The sources in the order of their first loads.
  private var order: [String] = []
  private var next = 0

  init(capacity: Int = 10_000) { self.capacity = max(capacity, 1) }

  /// The number of remembered sources.
  var count: Int { generations.count }

  /// The generation in which the last load of a source began; 0 for an unknown one.
  subscript(source: String) -> Int { generations[source] ?? 0 }

  /// Records a load that began in a generation. Nothing is to be known before the first purge.
  mutating func record(_ source: String, at generation: Int) {
    guard generation > 0, source.utf8.count <= 4096 else { return }
    if let known = generations[source] {
      generations[source] = max(known, generation)
      return
    }
    generations[source] = generation
    if order.count < capacity {
      order.append(source)
    } else {
      generations[order[next]] = nil
      order[next] = source
      next = (next + 1) % capacity
    }
  }
}
