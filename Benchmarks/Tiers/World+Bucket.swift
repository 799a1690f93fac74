import CalotypeCaching
import CalotypeTiers
extension World {
  /// Reads the bucket: the position of a record that may be used.
  func get(_ node: SimulatedNode, _ key: Int, _ body: @escaping (Int?) -> Void) {
    guard node.bucket.admission(now: queue.instant) == nil else { return queue.after(0) { body(nil) } }
    figures.gets += 1
    let time = random.logNormal(.get) * bucketSlowness
    guard time <= Self.deadline else {
      return queue.after(Self.deadline) {
        node.bucket.record(.failure, now: self.queue.instant)
        body(nil)
      }
    }
    let share = random.unit()
    let fails = random.unit() < bucketFailure
    queue.after(time * share) {
      let position = self.bucket[key]
      self.queue.after(time * (1 - share)) {
        if fails {
          node.bucket.record(.failure, now: self.queue.instant)
          return body(nil)
        }
        node.bucket.record(.success, now: self.queue.instant)
        body(position >= 0 && self.verdict(node, key, position) == .valid ? position : nil)
      }
    }
  }

  /// Writes the bucket when it is its turn, without a waiting caller.
  func write(_ node: SimulatedNode, _ key: Int, _ position: Int) {
    let begin = {
      self.put(node, key, position, 1) { _ in node.writes.ended()?() }
    }
    node.writes.add(begin)?()
  }

  /// Writes, three times at most with growing pauses.
  func put(
    _ node: SimulatedNode, _ key: Int, _ position: Int, _ attempt: Int, _ body: @escaping (Bool) -> Void
  ) {
    guard node.bucket.admission(now: queue.instant) == nil else { return queue.after(0) { body(false) } }
    figures.puts += 1
    let fails = random.unit() < bucketFailure
    queue.after(random.logNormal(.put) * bucketSlowness) {
      guard fails else {
        node.bucket.record(.success, now: self.queue.instant)
        // The last writer wins; positions tell which records may be used.
        self.bucket[key] = position
        return body(true)
      }
      node.bucket.record(.failure, now: self.queue.instant)
      guard attempt < 3 else { return body(false) }
      self.queue.after(self.random.unit() * 0.1 * Double(1 << attempt)) {
        self.put(node, key, position, attempt + 1, body)
      }
    }
  }
}
