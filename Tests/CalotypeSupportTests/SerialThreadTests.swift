import FoundationEssentials
import Testing

@testable import CalotypeSupport

@Suite("Serial thread")
struct SerialThreadTests {
  /// Counts on a thread of its own.
  private actor Counter {
    nonisolated let thread: SerialThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
    private var numbers: [Int] = []

    init(_ name: String) {
      thread = SerialThread(name: name)
    }

    func append(_ number: Int) { numbers.append(number) }

    var all: [Int] { numbers }

    /// By the kernel: the compiler may ask for `pthread_self` once, before the task has changed its thread.
    var threadName: String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    }

    func increment() { numbers = [(numbers.first ?? 0) + 1] }
  }

  @Test("work is done in the order it came, scheduled or awaited")
  func order() async {
    let counter = Counter("order")
    for number in 0..<1_000 { counter.thread.schedule { counter.assumeIsolated { $0.append(number) } } }
    await counter.append(1_000)
    #expect(await counter.all == Array(0...1_000))
  }

  @Test("jobs of many tasks run one at a time, on one thread")
  func isolation() async {
    let counter = Counter("isolation")
    let threads = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<8 {
        group.addTask { @concurrent in
          for _ in 0..<500 {
            await counter.increment()
            counter.thread.schedule { counter.assumeIsolated { $0.increment() } }
          }
          return await counter.threadName
        }
      }
      return await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    #expect(threads.count == 1)
    #expect(!threads.contains(nil))
    #expect(await counter.all == [8_000])
  }

  @Test("the thread ends when its executor is released, after what waited", .timeLimit(.minutes(1)))
  func end() async throws {
    let name = "serial-end-test"
    var thread: SerialThread? = SerialThread(name: name)
    #expect(try !threadNames().contains(name))
    let isOpen = Monitor(false)
    let (numbers, continuation) = AsyncStream<Int>.makeStream()
    thread?.schedule {
      continuation.yield(0)
      isOpen.wait { $0 ? () : nil }
    }
    thread?.schedule {
      continuation.yield(1)
      continuation.finish()
    }
    var order = numbers.makeAsyncIterator()
    #expect(await order.next() == 0)
    #expect(try threadNames().count { $0 == name } == 1)
    thread = nil
    isOpen.withLock(waking: .all) { $0 = true }
    #expect(await order.next() == 1)
    while try threadNames().contains(name) { await Task.yield() }
  }

  private func threadNames() throws -> [String] {
    let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    // One that ended meanwhile has no name.
    return tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
      .map { String($0.dropLast()) }
  }
}
