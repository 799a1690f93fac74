/// What a node does with its bucket: the breaker of reads and writes, and the queue of writes. Pure values.
struct BucketBreaker {
  static let threshold = 10
  private var failures = 0
  private var coolDown = 5.0
  private var openUntil = -1.0

  func isOpen(at now: Double) -> Bool { now < openUntil }

  mutating func succeeded() {
    failures = 0
    coolDown = 5
  }

  mutating func failed(at now: Double) {
    failures += 1
    guard failures >= Self.threshold else { return }
    failures = 0
    openUntil = now + coolDown
    coolDown = min(120, coolDown * 2)
  }
}

/// Writes that wait: some at a time, the others in order, no more than fit.
struct WriteQueue<Write> {
  static var width: Int { 8 }
  static var limit: Int { 1_000 }
  private var waiting: [Write] = []
  private var head = 0
  private(set) var running = 0
  private(set) var dropped = 0

  var count: Int { waiting.count - head }

  /// Returns the write if it may begin now.
  mutating func add(_ write: Write) -> Write? {
    if running < Self.width {
      running += 1
      return write
    }
    guard count < Self.limit else {
      dropped += 1
      return nil
    }
    waiting.append(write)
    return nil
  }

  /// One has ended; returns the next.
  mutating func ended() -> Write? {
    guard head < waiting.count else {
      running -= 1
      return nil
    }
    defer {
      head += 1
      if head == waiting.count { (waiting, head) = ([], 0) }
    }
    return waiting[head]
  }
}
