/// Writes of a node that wait: some at a time, the others in order, no more than fit.
struct WriteLine<Write> {
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
