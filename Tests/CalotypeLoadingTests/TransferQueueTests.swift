import Testing

@testable import CalotypeLoading

@Suite("Transfer queue")
struct TransferQueueTests {
  private func drain(_ queue: inout TransferQueue<Int>) -> [Int] {
    var result: [Int] = []
    while let id = queue.take() { result.append(id) }
    return result
  }

  @Test func firstInFirstOutWithinTheLimit() {
    var queue = TransferQueue<Int>(limit: 2, limitPerHost: 2)
    for id in 0..<5 { queue.put(id, host: id % 2 == 0 ? "a" : "b") }
    #expect(drain(&queue) == [0, 1])
    #expect(queue.running == 2 && queue.count == 3)
    queue.finished(host: "b")
    #expect(drain(&queue) == [2])
    queue.finished(host: "a")
    queue.finished(host: "a")
    #expect(drain(&queue) == [3, 4])
  }

  @Test func busyHostsArePassed() {
    var queue = TransferQueue<Int>(limit: 10, limitPerHost: 1)
    for id in 0..<3 { queue.put(id, host: "a") }
    queue.put(3, host: "b")
    #expect(drain(&queue) == [0, 3])
    queue.finished(host: "a")
    #expect(drain(&queue) == [1])
  }

  @Test func removal() {
    var queue = TransferQueue<Int>(limit: 1, limitPerHost: 1)
    for id in 0..<200 { queue.put(id, host: "a") }
    var taken: [Int] = []
    for id in stride(from: 1, to: 200, by: 2) { #expect({ queue.remove(id, host: "a") }()) }
    #expect({ !queue.remove(1, host: "a") }())
    #expect({ !queue.remove(0, host: "b") }())
    while let id = queue.take() {
      taken.append(id)
      #expect({ !queue.remove(id, host: "a") }())
      queue.finished(host: "a")
    }
    #expect(taken == Array(stride(from: 0, to: 200, by: 2)))
    #expect(queue.count == 0 && queue.running == 0)
  }

  @Test func limitsBelowOneCountAsOne() {
    var queue = TransferQueue<Int>(limit: 0, limitPerHost: -1)
    queue.put(1, host: "a")
    #expect(drain(&queue) == [1])
  }
}
