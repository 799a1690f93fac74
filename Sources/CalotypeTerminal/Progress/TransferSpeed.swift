/// How fast bytes come, over the last seconds.
struct TransferSpeed {
  private struct Mark {
    let time: ContinuousClock.Instant
    let bytes: Int
  }

  private var marks: [Mark] = []

  /// So many have come by now.
  mutating func note(_ bytes: Int, at now: ContinuousClock.Instant) {
    if let last = marks.last, now - last.time < .milliseconds(200) { return }
    marks.append(Mark(time: now, bytes: bytes))
    // One that is older stays: what is measured is the time since then.
    while marks.count > 2, now - marks[1].time > .seconds(3) { marks.removeFirst() }
  }

  /// Bytes a second; `nil` as long as nothing can be said.
  func value(_ bytes: Int, at now: ContinuousClock.Instant) -> Int? {
    guard let first = marks.first, now - first.time >= .milliseconds(300) else { return nil }
    return Int(Double(max(0, bytes - first.bytes)) / ((now - first.time) / .seconds(1)))
  }
}
