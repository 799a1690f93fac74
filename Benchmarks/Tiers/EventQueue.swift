/// A virtual clock: functions that run at their times, in order.
final class EventQueue {
  private struct Event {
    var time: Double
    var number: Int
    var body: () -> Void

    static func < (left: Event, right: Event) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }
  }

  /// Seconds since the beginning.
  private(set) var now = 0.0
  private var heap: [Event] = []
  private var number = 0

  /// The time as code of the library takes it.
  var instant: Duration { .nanoseconds(Int64(now * 1e9)) }

  /// Runs `body` later, after everything of the same time that was planned before.
  func after(_ delay: Double, _ body: @escaping () -> Void) {
    number += 1
    heap.append(Event(time: now + max(0, delay), number: number, body: body))
    var child = heap.count - 1
    while child > 0, heap[child] < heap[(child - 1) / 2] {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Runs everything up to a time.
  func run(until end: Double) {
    while let first = heap.first, first.time <= end {
      now = first.time
      heap.swapAt(0, heap.count - 1)
      heap.removeLast()
      var parent = 0
      while true {
        var least = parent
        for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count && heap[child] < heap[least]
        {
          least = child
        }
        if least == parent { break }
        heap.swapAt(parent, least)
        parent = least
      }
      first.body()
    }
  }
}
