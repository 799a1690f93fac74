import HeapModule

/// The records that leave a ``DiskCache`` next, least recently used first: a few percent of the index.
///
/// A pass over the index finds them, which goes in pieces so that no store waits for a whole one. The next pass begins
/// before they are used up. The index changes meanwhile: each candidate is compared with it when its turn comes.
/// A record that moves within the index during a pass may be overlooked; the next pass finds it.
struct EvictionQueue: Sendable {
  private struct Candidate: Comparable, Sendable {
    let accessed: Int64
    let digest: Digest256

    static func < (left: Candidate, right: Candidate) -> Bool { left.accessed < right.accessed }
  }

  private struct Pass: Sendable {
    /// Takes records that were not accessed after this.
    let threshold: Int64
    let most: Int
    /// The place in the index where it goes on.
    var next = 0
    var found: [Candidate] = []
  }

  private var candidates = Heap<Candidate>()
  /// How many the last pass found.
  private var found = 0
  /// The latest access among those that the last pass found: who was accessed later is a matter for the next one.
  private var horizon = Int64.min
  private var pass: Pass?

  /// Candidates of one pass: enough that a pass costs each of them few entries, and few enough to be kept in memory.
  private static func batch(_ count: Int) -> Int { max(1024, count / 32) }
  private static var sampleCount: Int { 1024 }

  /// Takes the least recently used record, as far as the index knows; `nil` when it is empty. O(log n), amortised, if
  /// ``prepare(_:places:)`` is called now and then, and otherwise a pass over the index now and then.
  mutating func next(in table: borrowing IndexTable) -> IndexEntry? {
    // What is left of a pass may have nothing to offer that still holds, a whole one has.
    for attempt in 0... {
      while let candidate = candidates.popMin() {
        if let entry = table[candidate.digest], entry.accessed == candidate.accessed { return entry }
      }
      guard table.count > 0, attempt < 2 else { break }
      prepare(table, places: .max)
    }
    return nil
  }

  /// Puts a record back that was accessed later than the index knew, in its new place.
  mutating func giveBack(_ entry: IndexEntry) {
    guard entry.accessed <= horizon else { return }
    candidates.insert(Candidate(accessed: entry.accessed, digest: entry.digest))
  }

  /// Looks for more candidates if they are running out.
  ///
  /// - Parameter places: Most entries to look at.
  mutating func prepare(_ table: borrowing IndexTable, places: Int) {
    guard pass != nil || candidates.count <= found / 4, table.count > 0 else { return }
    var pass = self.pass.take() ?? Self.pass(over: table)
    let end = places < table.count - pass.next ? pass.next + places : table.count
    table.forEach(from: pass.next, to: end) { entry in
      if entry.accessed <= pass.threshold, pass.found.count < pass.most {
        pass.found.append(Candidate(accessed: entry.accessed, digest: entry.digest))
      }
    }
    pass.next = end
    guard end >= table.count || pass.found.count >= pass.most else {
      self.pass = pass
      return
    }
    // Those that are left from the last pass are among them.
    horizon = pass.found.map(\.accessed).max() ?? .min
    found = pass.found.count
    candidates = Heap(pass.found)
  }

  /// Begins a pass: a sample tells how old the oldest few percent are.
  private static func pass(over table: borrowing IndexTable) -> Pass {
    let batch = batch(table.count)
    guard table.count > 2 * batch else { return Pass(threshold: .max, most: .max) }
    var sample: [Int64] = []
    sample.reserveCapacity(sampleCount)
    let stride = table.count / sampleCount
    let start = Int.random(in: 0..<stride)
    for number in 0..<sampleCount { sample.append(table.accessed(at: start + number * stride)) }
    sample.sort()
    // More than twice as many come from times that many records share.
    return Pass(threshold: sample[sampleCount * batch / table.count], most: 2 * batch)
  }
}
