/// The last response times of one origin, and their 95th percentile.
struct RecentTimes {
  /// In order of arrival, as a ring.
  private var arrived: [Duration] = []
  private var next = 0
  private var sorted: [Duration] = []

  /// The number of times, at most ``HedgingPolicy/window``.
  var count: Int { sorted.count }

  /// The time that 95 % of the responses did not exceed (nearest rank); `nil` without any.
  var percentile95: Duration? {
    sorted.isEmpty ? nil : sorted[(sorted.count * 95 + 99) / 100 - 1]
  }

  /// Adds a time, in place of the oldest when there are enough.
  mutating func add(_ time: Duration) {
    if arrived.count < HedgingPolicy.window {
      arrived.append(time)
    } else {
      sorted.remove(at: position(of: arrived[next]))
      arrived[next] = time
      next = (next + 1) % HedgingPolicy.window
    }
    sorted.insert(time, at: position(of: time))
  }

  /// The index of the first time that is not shorter.
  private func position(of time: Duration) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
