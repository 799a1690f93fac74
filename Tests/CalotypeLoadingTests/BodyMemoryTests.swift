import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeLoading

/// What is asked of the memory and of the body, in its order.
private final class Ledger: BodyMemory {
  private struct State {
    var log: [String] = []
    var limit: Int
  }

  let isGivenBack = Lock(false)
  private let state: Lock<State>
  private let waits: (asked: Gate, open: Gate)?
  private let refusal: (any Error)?
  private let share: Int

  /// Grants up to `limit` bytes, of a declared length `share` at once; `waits` holds the reservation back.
  init(
    limit: Int = .max, share: Int = .max, waits: (asked: Gate, open: Gate)? = nil, refusal: (any Error)? = nil
  ) {
    state = Lock(State(limit: limit))
    self.waits = waits
    self.refusal = refusal
    self.share = share
  }

  var log: [String] { state.withLock { $0.log } }

  func note(_ text: String) { state.withLock { $0.log.append(text) } }

  func reserve(_ declared: Int) async throws -> Int? {
    note("reserve \(declared)")
    waits?.asked.open()
    try await waits?.open.wait()
    if let refusal { throw refusal }
    return state.withLock { declared <= $0.limit ? min(declared, share) : nil }
  }

  func grow(to count: Int) -> Bool {
    note("grow \(count)")
    return state.withLock { count <= $0.limit }
  }

  func giveBack() {
    isGivenBack.withLock { $0 = true }
  }
}

/// A body that tells a ledger when it is asked for a chunk.
private final class PulledBody: LoadBody.Producing {
  private let chunks: ChunkList
  private let ledger: Ledger

  init(_ chunks: [Data], _ ledger: Ledger) {
    self.chunks = ChunkList(chunks)
    self.ledger = ledger
  }

  func next() async throws -> Data? {
    ledger.note("pull")
    return chunks.pop()
  }

  func cancel() {}
}

@Suite("Memory of bodies", .timeLimit(.minutes(1)))
struct BodyMemoryTests {
  private static let step = 64 << 10

  private func load(
    _ chunks: [Data], _ ledger: Ledger, declared: Int? = nil, most: Int = 32 << 20, status: Int? = 200,
    into arriving: StreamingBody = StreamingBody()
  ) async throws -> Data {
    let loader = ClosureLoader(accepts: { _ in true }) { _ in
      LoadResponse(PulledBody(chunks, ledger), status: status, expectedLength: declared)
    }
    var request = LoadRequest(source: .data(Data(), id: "memory"))
    request.memoryByteLimit = most
    return try await loader.data(
      for: request, into: arriving, memory: ledger, onResponse: { _ in ledger.note("head") },
      progress: { _ in }
    ).0
  }

  @Test func declaredLengthsAreReservedBeforeAnythingIsPulled() async throws {
    let ledger = Ledger()
    let bytes = pattern(1_000)
    #expect(try await load(bytes.pieces(of: 500), ledger, declared: 1_000) == bytes)
    #expect(ledger.log == ["head", "reserve 1000", "pull", "pull", "pull"])
  }

  @Test func theBodyWaitsForItsReservation() async throws {
    let waits = (asked: Gate(), open: Gate())
    let ledger = Ledger(waits: waits)
    let task = Task { try await load([Data([1])], ledger, declared: 1) }
    try await waits.asked.wait()
    #expect(ledger.log == ["head", "reserve 1"])
    waits.open.open()
    #expect(try await task.value == Data([1]))
    let cancelled = Task { try await load([Data([1])], Ledger(waits: (Gate(), Gate())), declared: 1) }
    cancelled.cancel()
    #expect(await wasCancelled(cancelled))
  }

  @Test func theServerIsHeldBackMeanwhile() async throws {
    let server = try ScriptedHTTPServer()
    let bytes = pattern(24 << 20)
    server.route("/a", .body(bytes))
    let waits = (asked: Gate(), open: Gate())
    let ledger = Ledger(waits: waits)
    let loader = CurlLoader()
    let request = LoadRequest(url: server.url("/a"))
    let task = Task {
      try await loader.data(
        for: request, into: nil, memory: ledger, onResponse: { _ in }, progress: { _ in }
      ).0
    }
    try await waits.asked.wait()
    try await server.waitForStalledWrite("/a")
    while loader.statistics.pauses == 0 { await loader.settle() }
    #expect(loader.statistics.peakBufferedBytes <= 256 << 10)
    waits.open.open()
    #expect(try await task.value == bytes)
  }

  @Test func whatIsNotReservedGoesToAFile() async throws {
    let ledger = Ledger(limit: 999)
    let (bytes, arriving) = (pattern(1_000), StreamingBody())
    #expect(try await load(bytes.pieces(of: 100), ledger, declared: 1_000, into: arriving) == bytes)
    #expect(arriving.isSpooled)
    #expect(
      ledger.log.prefix(3) == ["head", "reserve 1000", "pull"]
        && !ledger.log.contains { $0.hasPrefix("grow") })
    let failing = Ledger(refusal: LoadingError.loaderClosed(ImageSource.urlOfBytes))
    await #expect(throws: LoadingError.loaderClosed(ImageSource.urlOfBytes)) {
      try await load([Data([1])], failing, declared: 1)
    }
    #expect(failing.log == ["head", "reserve 1"])
  }

  @Test func whatIsDeclaredMayBeGrantedInParts() async throws {
    let ledger = Ledger(share: Self.step)
    let bytes = pattern(200_000)
    let arriving = StreamingBody()
    #expect(try await load(bytes.pieces(of: 32 << 10), ledger, declared: 200_000, into: arriving) == bytes)
    #expect(!arriving.isSpooled)
    #expect(
      ledger.log == [
        "head", "reserve 200000", "pull", "pull", "grow \(2 * Self.step)", "pull", "pull", "grow 200000",
        "pull",
        "pull", "pull", "pull",
      ])
  }

  @Test func unknownLengthsGrowBeforeTheyArePulled() async throws {
    let ledger = Ledger()
    let bytes = pattern(200_000)
    let arriving = StreamingBody()
    #expect(try await load(bytes.pieces(of: 32 << 10), ledger, into: arriving) == bytes)
    #expect(!arriving.isSpooled)
    #expect(
      ledger.log == [
        "head", "grow \(Self.step)", "pull", "pull", "grow \(2 * Self.step)", "pull", "pull",
        "grow \(4 * Self.step)", "pull", "pull", "pull", "pull",
      ])
  }

  @Test func chunksThatAreLargerThanTheStepAreAskedForBeforeTheyAreKept() async throws {
    let ledger = Ledger(limit: 4 * Self.step)
    let (bytes, arriving) = (pattern(300_000), StreamingBody())
    #expect(try await load([bytes], ledger, into: arriving) == bytes)
    #expect(ledger.log == ["head", "grow \(Self.step)", "pull", "grow \(8 * Self.step)", "pull"])
    #expect(arriving.isSpooled)
  }

  @Test func whatIsRefusedGoesToAFileFromThereOn() async throws {
    let ledger = Ledger(limit: Self.step)
    let (bytes, arriving) = (pattern(200_000), StreamingBody())
    #expect(try await load(bytes.pieces(of: 32 << 10), ledger, into: arriving) == bytes)
    #expect(arriving.isSpooled && arriving.count == 200_000)
    // It is asked once.
    #expect(
      ledger.log == ["head", "grow \(Self.step)", "pull", "pull", "grow \(2 * Self.step)"]
        + Array(repeating: "pull", count: 6))
    // What turns out to be all of it needs no file.
    let all = StreamingBody()
    #expect(try await load([pattern(Self.step)], ledger, into: all) == pattern(Self.step))
    #expect(!all.isSpooled)
    #expect(ledger.isGivenBack.withLock { $0 })
  }

  @Test func moreThanDeclaredIsAskedForToo() async throws {
    let ledger = Ledger()
    let bytes = pattern(3_000)
    #expect(try await load(bytes.pieces(of: 1_000), ledger, declared: 1_000) == bytes)
    #expect(
      ledger.log == ["head", "reserve 1000", "pull", "pull", "grow \(Self.step)", "pull", "pull"])
    let small = Ledger(limit: 1_000)
    let arriving = StreamingBody()
    #expect(try await load(bytes.pieces(of: 1_000), small, declared: 1_000, into: arriving) == bytes)
    #expect(arriving.isSpooled)
  }

  @Test func whatIsTooMuchForMemoryAnywayIsNotAskedFor() async throws {
    let ledger = Ledger()
    let bytes = pattern(3_000)
    #expect(try await load(bytes.pieces(of: 1_000), ledger, declared: 3_000, most: 2_999) == bytes)
    #expect(ledger.log == ["head", "pull", "pull", "pull", "pull"])
    // Without a length, up to there and no further.
    let unknown = Ledger()
    let arriving = StreamingBody()
    let long = pattern(100_000)
    #expect(try await load(long.pieces(of: 40_000), unknown, most: 70_000, into: arriving) == long)
    #expect(unknown.log == ["head", "grow \(Self.step)", "pull", "pull", "pull", "pull"])
    #expect(arriving.isSpooled)
    let none = Ledger()
    #expect(try await load([Data([1])], none, most: 0) == Data([1]))
    #expect(none.log == ["head", "pull", "pull"])
  }

  @Test func nothingNewNeedsNoMemory() async throws {
    let ledger = Ledger()
    #expect(try await load([], ledger, declared: 5_000_000, status: 304).isEmpty)
    #expect(ledger.log == ["pull"])
  }

  @Test(arguments: [1, 100, 65_536, 65_537, 1 << 20, .max - 1, .max])
  func stepsEndAtTheMost(most: Int) async throws {
    let ledger = Ledger()
    var allowance = BodyAllowance(memory: ledger, declared: nil, most: most)
    var count = 0
    while count < min(most, 1 << 40) {
      allowance.prepare(after: count)
      count = count == 0 ? 1 : min(most, count * 2)
      #expect({ allowance.covers(count) }())
    }
    let steps = ledger.log.compactMap { Int($0.dropFirst(5)) }
    #expect(steps == steps.sorted() && Set(steps).count == steps.count && steps.allSatisfy { $0 <= most })
    if most < .max { #expect({ !allowance.covers(most + 1) }()) }
  }
}
