import Calotype
import FoundationEssentials
import Testing

@testable import CalotypeTestKit

/// Who cancels, who delivers and who leaves do so at the same moment: each load ends once, and no task waits for ever.
@Suite("Races of a fake loader", .timeLimit(.minutes(5)))
struct FakeBodyRaceTests {
  private let url = URL(filePath: "/fake/a")

  private enum Outcome {
    case whole
    case cancelled
  }

  @Test("10,000 rounds of cancelling against delivering")
  func cancelAgainstDeliver() async throws {
    let loader = FakeLoader()
    var random = SeededGenerator(seed: 7)
    var cancelled = 0
    for round in 0..<10_000 {
      let gates = [Gate(), Gate()]
      loader.route(
        url, .gated([(gates[0], Data([1, 2])), (nil, Data([3])), (gates[1], Data([4]))]).behind(gates[0]))
      let choice = random.next()
      let outcome = try await run(loader, gates, choice)
      if outcome == .cancelled { cancelled += 1 }
      try #require(loader.running == 0, "round \(round)")
      try #require(loader.cancellations == cancelled, "round \(round)")
    }
    // Neither side always wins.
    #expect(cancelled > 100 && cancelled < 9900)
    #expect(loader.peakRunning == 1 && loader.requests.count == 10_000)
  }

  /// One load, its gates opened and its task cancelled by others meanwhile; the order is up to `choice` and the machine.
  private func run(_ loader: FakeLoader, _ gates: [Gate], _ choice: UInt64) async throws -> Outcome {
    let url = url
    let load = Task { @concurrent () async throws -> Data in
      try await loader.data(for: LoadRequest(url: url)).0
    }
    let pauses = (0..<3).map { Int(choice >> (8 * $0) & 7) }
    await withTaskGroup(of: Void.self) { group in
      for (gate, pause) in zip(gates, pauses) {
        group.addTask { @concurrent in
          for _ in 0..<pause { await Task.yield() }
          gate.open()
        }
      }
      group.addTask { @concurrent in
        for _ in 0..<pauses[2] { await Task.yield() }
        load.cancel()
      }
    }
    do {
      let data = try await load.value
      try #require(data == Data([1, 2, 3, 4]))
      return .whole
    } catch is CancellationError {
      return .cancelled
    }
  }

  @Test("a consumer that leaves wakes whoever waits for bytes")
  func leaveWhileWaiting() async throws {
    let request = LoadRequest(url: url)
    for round in 0..<2000 {
      let journal = EventLog(LoaderEntries())
      journal.note { $0.begin(request) }
      let (asked, gate) = (Gate(), Gate())
      let reply = FakeReply([.signal(asked), .wait(gate), .bytes(Data([1])), .hang])
      let body = FakeBody(reply, request: request, url: url, journal: journal)
      let taken = Task { @concurrent in try await body.next() }
      try await asked.wait()
      if round.isMultiple(of: 2) { gate.open() }
      body.cancel()
      // With the gate open, the bytes may have been faster.
      switch await taken.result {
      case .success(let data): try #require(data == Data([1]) && round.isMultiple(of: 2))
      case .failure(let error): try #require(error is CancellationError)
      }
      try #require(journal.entries.running == 0 && journal.entries.cancellations == 1)
      await #expect(throws: CancellationError.self) { try await body.next() }
    }
  }
}
