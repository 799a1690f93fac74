import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// Which records go next, without any file.
@Suite struct EvictionQueueTests {
  private func digest(_ number: Int) -> Digest256 { CacheKey("\(number)").digest }

  private func entry(_ number: Int, accessed: Int) -> IndexEntry {
    var entry = IndexEntry(digest: digest(number), size: 1, accessed: Date(timeIntervalSince1970: 0))
    entry.accessed = Int64(accessed)
    return entry
  }

  /// A table and its queue.
  private final class Model {
    var table = IndexTable()
    var queue = EvictionQueue()

    func next() -> IndexEntry? { queue.next(in: table) }

    func remove(_ entry: IndexEntry) { table.remove(entry.digest) }
  }

  /// A table of records that were accessed at times of their own, in no order.
  ///
  /// - Returns: It, and the records in the order of their access.
  private func model(_ count: Int) -> (model: Model, order: [Int]) {
    var random = SeededGenerator(seed: UInt64(count))
    let order = (0..<count).shuffled(using: &random)
    let model = Model()
    for (time, number) in order.enumerated().shuffled(using: &random) {
      model.table.put(entry(number, accessed: time))
    }
    return (model, order)
  }

  @Test(arguments: [1, 2, 3, 100, 2048, 2049, 70_000])
  func recordsLeaveInTheOrderOfTheirAccess(count: Int) throws {
    let (model, order) = model(count)
    for number in order.prefix(5000) {
      let next = try #require(model.next())
      try #require(next.digest == digest(number))
      model.remove(next)
    }
    #expect(model.table.count == max(0, count - 5000))
  }

  @Test func anEmptyIndexHasNone() {
    #expect(Model().next() == nil)
  }

  @Test func whatWasReplacedReadOrRemovedIsNotTaken() {
    let model = Model()
    for number in 0..<100 { model.table.put(entry(number, accessed: number)) }
    #expect(model.next()?.accessed == 0)
    model.table.put(entry(1, accessed: 1000))
    model.table.remove(digest(2))
    #expect(model.next()?.accessed == 3)
    // Read before others that are in the queue: it has its turn among them.
    model.table.put(entry(4, accessed: 50))
    model.queue.giveBack(entry(4, accessed: 50))
    for expected in 5...50 { #expect(model.next()?.accessed == Int64(expected)) }
    #expect(model.next()?.accessed == 50)
    // Read after all of them: others go first, and new ones too.
    model.table.put(entry(51, accessed: 2000))
    model.queue.giveBack(entry(51, accessed: 2000))
    model.table.put(entry(200, accessed: 1500))
    for expected in 52...99 { #expect(model.next()?.accessed == Int64(expected)) }
    // What was not removed is found by the next pass.
    for number in 0..<100 where number != 1 && number != 51 { model.table.remove(digest(number)) }
    for number in [1, 200, 51] {
      #expect(model.next()?.digest == digest(number))
      model.table.remove(digest(number))
    }
    #expect(model.next() == nil)
  }

  /// A steady state: one comes, one goes, and the index is searched in pieces beside that.
  @Test func piecesOfAPassFindTheOldest() throws {
    let count = 50_000
    let model = model(count).model
    var gone: [Int] = []
    for step in 0..<100_000 {
      if step.isMultiple(of: 16) { model.queue.prepare(model.table, places: 1024) }
      let victim = try #require(model.next())
      gone.append(Int(victim.accessed))
      model.remove(victim)
      model.table.put(entry(count + step, accessed: count + step))
    }
    #expect(model.table.count == count)
    // By how many records each went too early, or was overlooked.
    let errors = gone.enumerated().map { abs($0.element - $0.offset) }
    #expect(errors.max() ?? .max <= count / 10)
    #expect(errors.reduce(0, +) / errors.count <= count / 100)
    var overlooked = 0
    model.table.forEach { if $0.accessed < 100_000 - count / 10 { overlooked += 1 } }
    #expect(overlooked == 0)
  }

  @Test func recordsOfOneTimeAreNotTakenAllAtOnce() throws {
    let model = Model()
    for number in 0..<100_000 { model.table.put(entry(number, accessed: 7)) }
    for _ in 0..<20_000 { model.remove(try #require(model.next())) }
    #expect(model.table.count == 80_000)
  }
}
