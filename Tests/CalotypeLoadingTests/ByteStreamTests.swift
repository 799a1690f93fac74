import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeLoading

/// A sequence that does what a test says, and tells what is asked of it.
private struct Chunks<Element: Collection<UInt8> & Sendable>: AsyncSequence, Sendable {
  enum Step: Sendable {
    case chunk(Element)
    /// Waits, and does not notice when its task is cancelled.
    case block(asked: Gate, open: Gate)
    /// Waits, and ends as many sequences do when their task is cancelled.
    case endWhenCancelled(asked: Gate)
    case fail(any Error)
    /// Tells the test that it has come this far.
    case signal(Gate)
  }

  /// How often it was asked, and whether its iterator is gone.
  let pulls = Lock(0)
  let released = Gate()
  let steps: [Step]

  init(_ steps: [Step]) {
    self.steps = steps
  }

  init(_ chunks: Element...) {
    self.init(chunks.map { .chunk($0) })
  }

  var pulled: Int { pulls.withLock { $0 } }

  func makeAsyncIterator() -> Iterator {
    Iterator(chunks: self, steps: steps[...])
  }

  final class Iterator: AsyncIteratorProtocol {
    let chunks: Chunks
    var steps: ArraySlice<Step>

    init(chunks: Chunks, steps: ArraySlice<Step>) {
      self.chunks = chunks
      self.steps = steps
    }

    deinit {
      chunks.released.open()
    }

    func next() async throws -> Element? {
      chunks.pulls.withLock { $0 += 1 }
      switch steps.popFirst() {
      case .chunk(let chunk): return chunk
      case .block(let asked, let open):
        asked.open()
        await Task { try? await open.wait() }.value
        return try await next()
      case .endWhenCancelled(let asked):
        asked.open()
        try? await Gate().wait()
        return nil
      case .fail(let error): throw error
      case .signal(let gate):
        gate.open()
        return try await next()
      case nil: return nil
      }
    }
  }
}

@Suite("Streams as sources", .timeLimit(.minutes(1)))
struct ByteStreamTests {
  private struct Broken: Error, CustomStringConvertible {
    let description = "the client went away"
  }

  private let group = LoaderGroup.standard

  private func request(
    _ chunks: some AsyncSequence<some Collection<UInt8>, any Error> & Sendable, length: Int? = nil,
    byteLimit: Int = 1 << 20
  ) -> LoadRequest {
    LoadRequest(
      source: .stream(ByteStream(chunks, expectedLength: length), id: "upload"), byteLimit: byteLimit)
  }

  @Test func chunksOfAnyKind() async throws {
    let bytes = [UInt8](pattern(10_000))
    let arrays = Chunks([UInt8](bytes[..<4_000]), [], [UInt8](bytes[4_000...]), [])
    let (data, response) = try await group.data(for: request(arrays, length: 10_000))
    #expect(data == Data(bytes) && response.expectedLength == 10_000)
    #expect(response.status == nil && response.url == ImageSource.urlOfBytes)
    #expect(arrays.released.isOpen)
    let slices = Chunks(bytes[..<1], bytes[1..<9_999], bytes[9_999...])
    let untrusted = LoaderGroup.forUntrustedURLs()
    #expect(try await untrusted.data(for: request(slices)).0 == Data(bytes))
    let whole = Chunks(Data(bytes))
    #expect(try await group.data(for: request(whole, length: -1)).0 == Data(bytes))
    // Sequences of others: one that cannot fail, and the body of another response.
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    continuation.yield([1, 2])
    continuation.yield([3])
    continuation.finish()
    let source = ImageSource.stream(ByteStream(stream), id: "stream")
    #expect(try await group.data(for: LoadRequest(source: source)).0 == Data([1, 2, 3]))
    let body = LoadBody([Data([7]), Data([8])])
    #expect(try await group.data(for: request(body)).0 == Data([7, 8]))
  }

  @Test func nothingIsReadAhead() async throws {
    let chunks = Chunks([UInt8](repeating: 1, count: 5), [], [2], [3])
    let response = try await group.load(request(chunks))
    #expect(chunks.pulled == 0)
    var body = response.body.makeAsyncIterator()
    #expect(try await body.next()?.count == 5)
    #expect(chunks.pulled == 1)
    // The empty one is skipped.
    #expect(try await body.next() == Data([2]))
    #expect(chunks.pulled == 3)
    #expect(try await body.next() == Data([3]))
    #expect(!chunks.released.isOpen)
    #expect(try await body.next() == nil)
    #expect(try await body.next() == nil)
    #expect(chunks.pulled == 5)
    try await chunks.released.wait()
  }

  @Test func isLoadedOnce() async throws {
    let chunks = Chunks([UInt8]([1]))
    let once = request(chunks, length: 1)
    // What is refused, or was never begun, is not spent.
    var small = once
    small.byteLimit = 0
    await #expect(throws: LoadingError.tooLarge(once.source, limit: 0, declared: 1)) {
      try await group.load(small)
    }
    let cancelled = Task { [group] in
      try? await Gate().wait()
      return try await group.load(once)
    }
    cancelled.cancel()
    #expect(await wasCancelled(cancelled))
    #expect(try await group.data(for: once).0 == Data([1]))
    await #expect(throws: LoadingError.bodyAlreadyConsumed) { try await group.load(once) }
    // Also if the first one did not read it.
    let dropped = request(Chunks([UInt8]([1])))
    _ = try await group.load(dropped)
    await #expect(throws: LoadingError.bodyAlreadyConsumed) { try await group.load(dropped) }
  }

  @Test func errorsComeThrough() async throws {
    let broken = request(Chunks([.chunk([UInt8]([1])), .fail(Broken())]))
    let response = try await group.load(broken)
    var body = response.body.makeAsyncIterator()
    #expect(try await body.next() == Data([1]))
    let expected = LoadingError.sourceFailed(broken.source, reason: "the client went away")
    await #expect(throws: expected) { try await body.next() }
    #expect(expected.code == "sourceFailed" && expected.source == broken.source)
    #expect(expected.description.contains("upload") && expected.description.contains("the client went away"))
    #expect(!expected.isRetryable && expected.gatewayStatus == 400)
    #expect(try await body.next() == nil)
    let typed = request(Chunks<[UInt8]>([.fail(LoadingError.loaderClosed(ImageSource.urlOfBytes))]))
    await #expect(throws: LoadingError.loaderClosed(ImageSource.urlOfBytes)) {
      try await group.data(for: typed)
    }
    let cancelled = request(Chunks<[UInt8]>([.fail(CancellationError())]))
    await #expect(throws: CancellationError.self) { try await group.data(for: cancelled) }
  }

  @Test func limitsHoldWhateverIsDeclared() async throws {
    for declared in [nil, 5, 10] {
      let chunks = Chunks([UInt8](repeating: 1, count: 8), [UInt8](repeating: 2, count: 3), [3])
      let request = request(chunks, length: declared, byteLimit: 10)
      let response = try await group.load(request)
      var body = response.body.makeAsyncIterator()
      #expect(try await body.next()?.count == 8)
      await #expect(throws: LoadingError.tooLarge(request.source, limit: 10, declared: declared)) {
        try await body.next()
      }
      try await chunks.released.wait()
      #expect(chunks.pulled == 2)
    }
    let fitting = request(Chunks([UInt8](repeating: 1, count: 10)), length: 3, byteLimit: 10)
    #expect(try await group.data(for: fitting).0.count == 10)
  }

  @Test func whatEndsEarlyIsNoBody() async throws {
    let short = request(Chunks([UInt8]([1, 2])), length: 3)
    let expected = LoadingError.sourceFailed(short.source, reason: "it ended after 2 of 3 bytes")
    await #expect(throws: expected) { try await group.data(for: short) }
    let empty = request(Chunks<[UInt8]>([]))
    await #expect(throws: LoadingError.emptyBody(empty.source)) { try await group.data(for: empty) }
  }

  // MARK: Leaving

  @Test func isReleasedWhenTheConsumerLeaves() async throws {
    let chunks = Chunks([UInt8]([1]), [2])
    let response = try await group.load(request(chunks))
    for try await _ in response.body { break }
    // The response, and with it the body, is still held.
    try await chunks.released.wait()
    #expect(chunks.pulled == 1 && response.status == nil)
    let unread = Chunks([UInt8]([1]))
    _ = try await group.load(request(unread))
    #expect(unread.pulled == 0)
  }

  @Test func cancellationIsNoEnd() async throws {
    let asked = Gate()
    let chunks = Chunks([.chunk([UInt8]([1])), .endWhenCancelled(asked: asked)])
    let request = request(chunks)
    let task = Task { [group] in try await group.data(for: request).0 }
    try await asked.wait()
    task.cancel()
    #expect(await wasCancelled(task))
    try await chunks.released.wait()
  }

  @Test func nobodyWaitsForASequenceThatDoesNotNotice() async throws {
    let (asked, open) = (Gate(), Gate())
    let chunks = Chunks([.chunk([UInt8]([1])), .block(asked: asked, open: open), .chunk([2])])
    let request = request(chunks)
    let task = Task { [group] in try await group.data(for: request).0 }
    try await asked.wait()
    task.cancel()
    #expect(await wasCancelled(task))
    #expect(!chunks.released.isOpen)
    open.open()
    try await chunks.released.wait()
  }

  @Test func secondConsumerAtATimeIsRefused() async throws {
    let (asked, open) = (Gate(), Gate())
    let stream = ByteStream(Chunks([.block(asked: asked, open: open), .chunk([UInt8]([1]))]))
    let pump = try #require(stream.claim())
    let body = StreamBody(pump, of: .data(Data(), id: "x"), expectedLength: nil, byteLimit: 9)
    async let first = body.next()
    try await asked.wait()
    await #expect(throws: LoadingError.bodyAlreadyConsumed) { try await body.next() }
    open.open()
    #expect(try await first == Data([1]))
    body.cancel()
    await #expect(throws: CancellationError.self) { try await body.next() }
  }

  @Test func manyAtRandomMoments() async throws {
    let bytes = [UInt8](pattern(3_000))
    for index in 0..<300 {
      let reached = Gate()
      var steps = (0..<30).map { Chunks<[UInt8]>.Step.chunk(Array(bytes[($0 * 100)..<($0 * 100 + 100)])) }
      steps.insert(.signal(reached), at: index % 31)
      let chunks = Chunks(steps)
      let request = request(chunks, length: 3_000)
      let task = Task { @concurrent [group] in try await group.data(for: request).0 }
      if index % 2 == 0 {
        try await reached.wait()
        task.cancel()
      }
      switch await task.result {
      case .success(let data): #expect(data == Data(bytes))
      case .failure(let error): #expect(error is CancellationError && index % 2 == 0)
      }
      try await chunks.released.wait()
    }
  }

  @Test func identity() {
    func source(_ byte: UInt8, _ id: String) -> ImageSource {
      .stream(ByteStream(LoadBody([Data([byte])])), id: id)
    }
    #expect(source(1, "a") == source(2, "a") && source(1, "a") != source(1, "b"))
    #expect(source(1, "a") != .data(Data([1]), id: "a"))
    #expect(Set([source(1, "a"), source(2, "a"), .data(Data(), id: "a")]).count == 2)
    #expect(source(1, "a").description == "stream \"a\"" && source(1, "a").url == nil)
    let memory = FailureMemory()
    memory.record(code: "notAnImage", message: "", for: LoadRequest(source: source(1, "a")))
    #expect(memory.failure(for: LoadRequest(source: source(2, "a"))) != nil)
  }

  /// Every sequence of events: each waiter and each pump is answered once, and the last one asked for at the end.
  @Test func everySequenceOfEvents() {
    typealias Machine = StreamMachine<Int, Int>
    var count = 0
    func explore(_ machine: Machine, _ open: Set<Int>, isPulling: Bool, _ depth: Int) {
      count += 1
      for event in 0..<4 {
        var (machine, open, isPulling) = (machine, open, isPulling)
        let action: Machine.Action
        switch event {
        case 0:
          open.insert(depth)
          action = machine.ask(depth)
        case 1 where isPulling:
          isPulling = false
          open.insert(depth)
          action = machine.bring(depth)
        case 2 where isPulling:
          isPulling = false
          action = machine.finish()
        case 3: action = machine.cancel()
        default: continue
        }
        switch action {
        case .none: break
        case .start:
          #expect(!isPulling)
          isPulling = true
        case .answer(let waiter, _): #expect({ open.remove(waiter) != nil }())
        case .resume(let pump, let goesOn):
          #expect({ open.remove(pump) != nil }())
          #expect(!isPulling)
          isPulling = goesOn
        }
        if machine.isOver {
          #expect(open.isEmpty)
        } else {
          // One of the two waits for the other.
          #expect(open.count <= 1 && isPulling == (open.count == 1 && !isParked(machine)))
        }
        if depth < 7 { explore(machine, open, isPulling: isPulling, depth + 1) }
      }
    }
    func isParked(_ machine: Machine) -> Bool {
      var machine = machine
      if case .resume = machine.cancel() { return true }
      return false
    }
    explore(Machine(), [], isPulling: false, 0)
    #expect(count > 500)
  }
}
