import HeapModule

/// The next records that a ``DiskCache`` evicts, least recently used first: a few percent of the index.
///
/// A pass over the index finds them, in pieces, so that no store waits for a whole pass. The next pass begins before
/// they are used up. The index changes meanwhile, so each candidate is compared with it when its turn comes. A record
/// that moves within the index during a pass may be overlooked; the next pass finds it.
struct EvictionQueue: Sendable {
  private struct Candidate: Comparable, Sendable {
    let accessed: Int64
    let digest: Digest256

    static func < (left: Candidate, right: Candidate) -> Bool { left.accessed < right.accessed }
  }

  private struct Pass: Sendable {
    /// Selects records that were not accessed after this.
    let threshold: Int64
    let most: Int
    /// The position in the index where it continues.
    var next = 0
    var found: [Candidate] = []
  }

  private var candidates = Heap<Candidate>()
  /// The number of candidates that the last pass found.
  private var found = 0
  /// The latest access among the candidates of the last pass. Later accesses are left to the next pass.
  private var horizon = Int64.min
  private var pass: Pass?

  /// The candidates of one pass: enough to amortise the pass, and few enough to keep in memory.
  private static func batch(_ count: Int) -> Int { max(1024, count / 32) }
  private static var sampleCount: Int { 1024 }

  /// Returns the least recently used record by the index; `nil` when it is empty. O(log n), amortised, if
  /// ``prepare(_:places:)`` is called regularly; otherwise occasionally a pass over the index.
  mutating func next(in table: borrowing IndexTable) -> IndexEntry? {
    // The rest of a pass may have no valid candidates left; a whole pass has.
    for attempt in 0... {
      while let candidate = candidates.popMin() {
        if let entry = table[candidate.digest], entry.accessed == candidate.accessed { return entry }
      }
      guard table.count > 0, attempt < 2 else { break }
      prepare(table, places: .max)
    }
    return nil
  }

  /// Puts back a record that was accessed later than the index knew.
  mutating func giveBack(_ entry: IndexEntry) {
    guard entry.accessed <= horizon else { return }
    candidates.insert(Candidate(accessed: entry.accessed, digest: entry.digest))
  }

  /// Searches for more candidates if they are running out.
  ///
  /// - Parameter places: The most entries to examine.
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
    // They include the remaining candidates of the last pass.
    horizon = pass.found.map(\.accessed).max() ?? .min
    found = pass.found.count
    candidates = Heap(pass.found)
  }

  /// Begins a pass. A sample estimates the age of the oldest few percent.
  private static func pass(over table: borrowing IndexTable) -> Pass {
    let batch = batch(table.count)
    guard table.count > 2 * batch else { return Pass(threshold: .max, most: .max) }
    var sample: [Int64] = []
    sample.reserveCapacity(sampleCount)
    let stride = table.count / sampleCount
    let start = Int.random(in: 0..<stride)
    for number in 0..<sampleCount { sample.append(table.accessed(at: start + number * stride)) }
    sample.sort()
    // More than twice as many can only come from times that many records share.
    return Pass(threshold: sample[sampleCount * batch / table.count], most: 2 * batch)
  }
}
