import CalotypeCaching
import CalotypeSupport
import Foundation
import Testing

@testable import CalotypeTiers

/// The queue of writes, as a value.
@Suite("The queue of writes to a bucket")
struct WriteQueueTests {
  private static func store(_ count: Int, tag: String = "") -> WriteQueue.Change {
    let record = CacheRecord(
      data: Data(), metadata: RecordMetadata(tags: [tag]), created: Date(), accessed: Date())
    return .store(record, [Data(count: count)])
  }

  private static func key(_ number: Int) -> CacheKey { CacheKey("key \(number)") }

  private static func take(_ queue: inout WriteQueue, now: Duration = .zero) -> [WriteQueue.Entry] {
    var expired: [WriteQueue.Entry] = []
    var entries: [WriteQueue.Entry] = []
    while let entry = queue.take(now: now, expired: &expired) { entries.append(entry) }
    return entries
  }

  @Test func isBoundedInBytes() {
    var queue = WriteQueue(byteLimit: 10 << 10, most: 2)
    let added = (0..<100).map { queue.add(Self.store(1 << 10), for: Self.key($0), now: .zero).isAdded }
    #expect(added.count { $0 } == 5)
    #expect(queue.bytes == 10 << 10)
    // A record in the place of another takes only the difference.
    #expect(queue.add(Self.store(1 << 10), for: Self.key(0), now: .zero).isAdded == true)
    #expect(queue.add(Self.store(1 << 20), for: Self.key(0), now: .zero).isAdded == false)
    for entry in Self.take(&queue) { _ = queue.ended(entry, nil, now: .zero, random: 0) }
    #expect(queue.bytes == 6 << 10)
  }

  @Test func keepsOrderAndOneWriteForEachKey() {
    var queue = WriteQueue(byteLimit: 1 << 20, most: 2)
    for number in 0..<4 { _ = queue.add(Self.store(1), for: Self.key(number), now: .zero) }
    let first = Self.take(&queue)
    #expect(first.map(\.key) == [Self.key(0), Self.key(1)])
    // A newer one of a key in progress waits for its end, although there is room.
    _ = queue.add(.delete, for: Self.key(0), now: .zero)
    #expect(queue.ended(first[1], nil, now: .zero, random: 0) == .written)
    for number in 2..<4 {
      let next = Self.take(&queue)
      #expect(next.map(\.key) == [Self.key(number)])
      #expect(queue.ended(next[0], nil, now: .zero, random: 0) == .written)
    }
    #expect(Self.take(&queue).isEmpty)
    // The older one failed: the newer one makes another try pointless.
    #expect(queue.ended(first[0], .timedOut, now: .zero, random: 0) == .superseded)
    #expect(Self.take(&queue).map(\.key) == [Self.key(0)])
    #expect(queue.count == 1)
  }

  @Test func restsBetweenTriesAndGivesUp() {
    var queue = WriteQueue(byteLimit: 1 << 20, most: 8)
    _ = queue.add(Self.store(1), for: Self.key(0), now: .zero)
    let error = BucketError.refused(status: 500, code: "", message: "")
    var entry = Self.take(&queue)[0]
    #expect(queue.ended(entry, error, now: .zero, random: 1) == .retried)
    #expect(queue.nextTry == .milliseconds(500))
    #expect(Self.take(&queue, now: .milliseconds(499)).isEmpty)
    entry = Self.take(&queue, now: .milliseconds(500))[0]
    #expect(queue.ended(entry, error, now: .milliseconds(500), random: 1) == .retried)
    entry = Self.take(&queue, now: .milliseconds(1_500))[0]
    #expect(queue.ended(entry, error, now: .milliseconds(1_500), random: 1) == .failed)
    #expect(queue.count == 0 && queue.bytes == 0 && queue.nextTry == nil)
  }

  @Test func waitsForAnOpenBreakerNoLongerThanItsDeadline() {
    var queue = WriteQueue(byteLimit: 1 << 20, most: 8)
    _ = queue.add(Self.store(1), for: Self.key(0), now: .zero)
    for time in 1...5 {
      let entry = Self.take(&queue, now: .seconds(time - 1))[0]
      #expect(
        queue.ended(entry, .suspended, resumption: .seconds(time), now: .seconds(time - 1), random: 0)
          == .retried)
    }
    let entry = Self.take(&queue, now: .seconds(5))[0]
    #expect(queue.ended(entry, .suspended, resumption: .seconds(31), now: .seconds(5), random: 0) == .failed)
    #expect(queue.bytes == 0)
  }

  @Test func dropsWhatHasWaitedTooLong() {
    var queue = WriteQueue(byteLimit: 1 << 20, most: 1)
    for number in 0..<3 { _ = queue.add(Self.store(1), for: Self.key(number), now: .zero) }
    let first = Self.take(&queue)
    _ = queue.ended(first[0], nil, now: .seconds(31), random: 0)
    var expired: [WriteQueue.Entry] = []
    #expect(queue.take(now: .seconds(31), expired: &expired) == nil)
    #expect(expired.count == 2 && queue.bytes == 0)
  }

  @Test func halvesWhenAskedTo() {
    var queue = WriteQueue(byteLimit: 1 << 20, most: 8)
    for number in 0..<20 { _ = queue.add(Self.store(1), for: Self.key(number), now: .zero) }
    let entries = Self.take(&queue)
    #expect(entries.count == 8)
    let slow = BucketError.refused(status: 503, code: "SlowDown", message: "")
    for entry in entries { _ = queue.ended(entry, slow, now: .seconds(1), random: 1) }
    #expect(queue.limit.current == 4)
    #expect(Self.take(&queue, now: .seconds(1)).count == 4)
  }

  @Test func flushesWaitForEarlierEntriesOnly() {
    var queue = WriteQueue(byteLimit: 1 << 20, most: 1)
    #expect(queue.flush(Waiter()) == false)
    _ = queue.add(Self.store(1), for: Self.key(0), now: .zero)
    _ = queue.add(Self.store(1), for: Self.key(1), now: .zero)
    #expect(queue.flush(Waiter()) == true)
    _ = queue.add(Self.store(1), for: Self.key(2), now: .zero)
    // In the place of an earlier one: the flush waits for it.
    _ = queue.add(Self.store(2), for: Self.key(1), now: .zero)
    var done: [Int] = []
    for _ in 0..<3 {
      _ = queue.ended(Self.take(&queue)[0], nil, now: .zero, random: 0)
      done.append(queue.takeFlushed().count)
    }
    #expect(done == [0, 1, 0])
  }

  @Test func forgetsStoresOfASelection() {
    var queue = WriteQueue(byteLimit: 1 << 20, most: 1)
    for number in 0..<6 {
      _ = queue.add(Self.store(1, tag: "\(number % 2)"), for: Self.key(number), now: .zero)
    }
    let running = Self.take(&queue)
    #expect(queue.removeStores { _, metadata in metadata.tags == ["0"] } == 2)
    #expect(queue.count == 4)
    _ = queue.ended(running[0], nil, now: .zero, random: 0)
    #expect(queue.removeAll().count == 3)
    #expect(queue.bytes == 0)
  }
}
