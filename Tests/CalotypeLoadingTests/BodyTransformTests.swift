import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeLoading

@Suite("Body transforms", .timeLimit(.minutes(1)))
struct BodyTransformTests {
  private struct Wrong: Error {}

  /// Adds one to every byte, puts `tail` behind, and does what the test says at a byte or at the end.
  private struct Shifting: BodyTransforming {
    var amount: UInt8 = 1
    var identity: String { "shift(\(amount))" }
    var tail = Data()
    /// Bytes come out only when this many are together, the rest at the end.
    var hoard = 1
    var failure: (at: Int, error: any Error)?
    var finishFailure: (any Error)?
    /// Told of every chunk, and of the end by `nil`.
    var witness: @Sendable (Data?) -> Void = { _ in }
    var isForPictures = false

    func makeTransform(for response: LoadResponse) throws -> (any ChunkTransforming)? {
      if isForPictures, response.contentType == nil { return nil }
      return Work(plan: self)
    }

    struct Work: ChunkTransforming {
      let plan: Shifting
      var seen = 0
      var held = Data()

      mutating func transform(_ chunk: Data) throws -> Data {
        plan.witness(chunk)
        seen += chunk.count
        if let failure = plan.failure, seen > failure.at { throw failure.error }
        held.append(contentsOf: chunk.map { $0 &+ plan.amount })
        guard held.count >= plan.hoard else { return Data() }
        defer { held = Data() }
        return held
      }

      mutating func finish() throws -> Data {
        plan.witness(nil)
        if let error = plan.finishFailure { throw error }
        return held + plan.tail
      }
    }
  }

  private func shifted(_ data: Data, by amount: UInt8 = 1) -> Data {
    Data(data.map { $0 &+ amount })
  }

  private func transformed(
    _ body: any LoadBody.Producing, _ transforms: any BodyTransforming..., byteLimit: Int = 1 << 30
  ) throws -> LoadBody {
    try LoadResponse(body).transformed(by: transforms, byteLimit: byteLimit).body
  }

  @Test(arguments: [1, 3, 997, 65_536, 1 << 20], [1, 1_000, 100_000])
  func anyChunks(size: Int, hoard: Int) async throws {
    let data = pattern(size == 1 ? 3_000 : 300_001)
    let transform = Shifting(tail: Data([7]), hoard: hoard) { chunk in
      guard let chunk else { return }
      #expect(!chunk.isEmpty && chunk.count <= 64 << 10)
      #expect(chunk.startIndex == 0)
    }
    var output = Data()
    for try await chunk in try transformed(ScriptedBody(data, size: size), transform) {
      #expect(!chunk.isEmpty)
      output.append(chunk)
    }
    #expect(output == shifted(data) + [7])
  }

  @Test func inOrder() async throws {
    let data = pattern(200_000)
    let times = Shifting(amount: 3, tail: Data([1]))
    let body = try transformed(ScriptedBody(data, size: 777), times, Shifting(amount: 1, tail: Data([9])))
    #expect(try await body.collected() == shifted(data, by: 4) + [2, 9])
  }

  @Test func emptyBodies() async throws {
    let nothing = ScriptedBody([])
    #expect(try await transformed(nothing, Shifting()).collected().isEmpty)
    #expect(try await transformed(ScriptedBody([]), Shifting(tail: Data([5]))).collected() == Data([5]))
    let request = LoadRequest(url: URL(filePath: "/body"))
    let loader = ClosureLoader(scheme: "file") { _ in
      try LoadResponse(ScriptedBody([])).transformed(by: [Shifting()], byteLimit: 9)
    }
    #expect(await loadingError { _ = try await loader.data(for: request) } == .emptyBody(request.source))
  }

  @Test func lengthIsUnknownAfterwards() async throws {
    let response = LoadResponse(ScriptedBody(Data([1]), size: 1), expectedLength: 1)
    #expect(try response.transformed(by: [], byteLimit: 9).expectedLength == 1)
    let forPictures = Shifting(isForPictures: true)
    let untouched = try response.transformed(by: [forPictures], byteLimit: 9)
    #expect(untouched.expectedLength == 1)
    #expect(try await untouched.body.collected() == Data([1]))
    var picture = LoadResponse(ScriptedBody(Data([1]), size: 1), expectedLength: 1)
    picture.contentType = "image/png"
    let changed = try picture.transformed(by: [forPictures], byteLimit: 9)
    #expect(changed.expectedLength == nil)
    #expect(changed.contentType == "image/png")
    #expect(try await changed.body.collected() == Data([2]))
  }

  @Test func answersWithoutBodies() throws {
    let response = LoadResponse(ScriptedBody([]), status: 304, expectedLength: 5)
    let transform = Shifting { _ in Issue.record("there is nothing to transform") }
    #expect(try response.transformed(by: [transform], byteLimit: 9).expectedLength == 5)
  }

  @Test func finishedOnceAndOnlyThen() async throws {
    let ends = Lock(0)
    let transform = Shifting(tail: Data([1, 2])) { chunk in if chunk == nil { ends.withLock { $0 += 1 } } }
    let input = ScriptedBody(Data([9, 9]), size: 1)
    let body = TransformedBody(
      LoadBody(input), transform: Shifting.Work(plan: transform), url: URL(filePath: "/"), identity: "x",
      byteLimit: 100)
    #expect(try await body.next() == Data([10]))
    #expect(try await body.next() == Data([10]))
    #expect(ends.withLock { $0 } == 0)
    #expect(try await body.next() == Data([1, 2]))
    for _ in 0..<3 { #expect(try await body.next() == nil) }
    #expect(ends.withLock { $0 } == 1)
    #expect(input.asked == 3)
  }

  @Test(arguments: [1, 3, 997, 65_536])
  func failures(size: Int) async throws {
    let data = pattern(size == 1 ? 5_000 : 150_000)
    let calls = Lock(0)
    let transform = Shifting(amount: 2, failure: (data.count / 2, Wrong())) { _ in calls.withLock { $0 += 1 }
    }
    let input = ScriptedBody(data, size: size)
    let work = Shifting.Work(plan: transform)
    let url = URL(filePath: "/a")
    let body = TransformedBody(
      LoadBody(input), transform: work, url: url, identity: transform.identity, byteLimit: 1 << 20)
    var output = Data()
    let error = await loadingError {
      while let chunk = try await body.next() { output.append(chunk) }
    }
    #expect(error == .bodyTransformFailed(url, transform: "shift(2)", reason: "Wrong()"))
    #expect(output == shifted(data, by: 2).prefix(output.count))
    #expect(input.cancelled > 0)
    let (before, asked) = (calls.withLock { $0 }, input.asked)
    #expect(try await body.next() == nil)
    #expect(calls.withLock { $0 } == before)
    #expect(input.asked == asked)
  }

  @Test func failureAtTheEnd() async throws {
    let input = ScriptedBody(Data([1]), size: 1)
    var iterator = try transformed(input, Shifting(finishFailure: Wrong())).makeAsyncIterator()
    #expect(try await iterator.next() == Data([2]))
    let error = await loadingError { _ = try await iterator.next() }
    #expect(error?.code == "bodyTransformFailed")
    #expect(try await iterator.next() == nil)
    #expect(input.cancelled > 0)
  }

  @Test func errorsOfOurKindStayAsTheyAre() async throws {
    let own = LoadingError.vetoed(URL(filePath: "/"), reason: "no")
    for transform in [Shifting(failure: (0, own)), Shifting(finishFailure: own)] {
      let body = try transformed(ScriptedBody(Data([1]), size: 1), transform)
      #expect(await loadingError { _ = try await body.collected() } == own)
    }
    let cancelling = Shifting(failure: (0, CancellationError()))
    let body = try transformed(ScriptedBody(Data([1]), size: 1), cancelling)
    await #expect(throws: CancellationError.self) { try await body.collected() }
  }

  @Test func brokenInputIsNotFinished() async throws {
    let truncated = LoadingError.truncatedBody(URL(filePath: "/"), received: 1, expected: 2)
    let transform = Shifting { chunk in #expect(chunk != nil, "finished though it broke off") }
    let body = try transformed(ScriptedBody([.bytes(Data([1])), .fail(truncated)]), transform)
    var iterator = body.makeAsyncIterator()
    #expect(try await iterator.next() == Data([2]))
    #expect(await loadingError { _ = try await iterator.next() } == truncated)
    // Not ours to name: whoever wrote the loader knows what it means.
    let other = try transformed(ScriptedBody([.fail(Wrong())]), transform)
    await #expect(throws: Wrong.self) { try await other.collected() }
  }

  @Test func refusedResponses() throws {
    struct Refusing: BodyTransforming {
      let identity = "refusing"
      func makeTransform(for response: LoadResponse) throws -> (any ChunkTransforming)? { throw Wrong() }
    }
    let response = LoadResponse(ScriptedBody([]))
    #expect(throws: LoadingError.bodyTransformFailed(response.url, transform: "refusing", reason: "Wrong()"))
    {
      try response.transformed(by: [Refusing()], byteLimit: 1)
    }
  }

  @Test(arguments: [1, 3, 997, 65_536])
  func limits(size: Int) async throws {
    let data = pattern(2_000)
    let exact = try transformed(ScriptedBody(data, size: size), Shifting(tail: Data([1])), byteLimit: 2_001)
    #expect(try await exact.collected().count == 2_001)
    let input = ScriptedBody(data, size: size)
    let body = try transformed(input, Shifting(tail: Data([1])), byteLimit: 2_000)
    var output = Data()
    let error = await loadingError { for try await chunk in body { output.append(chunk) } }
    #expect(error == .tooLarge(.url(URL(filePath: "/body")), limit: 2_000, declared: nil))
    #expect(output.count <= 2_000)
    #expect(input.cancelled > 0)
  }

  /// What one call makes is looked at before the next, however large the chunk.
  @Test func muchOutOfLittle() async throws {
    struct Inflating: BodyTransforming, ChunkTransforming {
      let identity = "inflating"
      let calls = Lock(0)
      func makeTransform(for response: LoadResponse) -> (any ChunkTransforming)? { self }
      func transform(_ chunk: Data) -> Data {
        calls.withLock { $0 += 1 }
        return Data(count: chunk.count * 100)
      }
      func finish() -> Data { Data() }
    }
    let bomb = Inflating()
    let body = try transformed(ScriptedBody([.bytes(Data(count: 16 << 20))]), bomb, byteLimit: 1 << 20)
    #expect(await loadingError { _ = try await body.collected() }?.code == "tooLarge")
    #expect(bomb.calls.withLock { $0 } == 1)
  }

  @Test func nothingIsTakenAhead() async throws {
    let input = ScriptedBody(pattern(1_000), size: 10)
    var iterator = try transformed(input, Shifting()).makeAsyncIterator()
    _ = try await iterator.next()
    #expect(input.asked == 1)
    _ = try await iterator.next()
    #expect(input.asked == 2)
  }

  @Test func cancelledWhileItWaitsForInput() async throws {
    let asked = Gate()
    let input = ScriptedBody([.bytes(Data([1])), .wait(asked: asked, open: Gate())])
    let body = try transformed(input, Shifting())
    let task = Task { try await body.collected() }
    try await asked.wait()
    task.cancel()
    #expect(await wasCancelled(task))
    #expect(input.cancelled > 0)
  }

  @Test func cancelledBetweenPieces() async throws {
    let calls = Lock(0)
    let (begun, goOn) = (Gate(), Gate())
    let transform = Shifting(hoard: 1 << 30) { chunk in
      #expect(chunk != nil)
      if calls.withLock({
        $0 += 1
        return $0 == 3
      }) {
        begun.open()
        goOn.waitBlocking()
      }
    }
    let body = try transformed(ScriptedBody([.bytes(pattern(4 << 20))]), transform)
    let task = Task { try await body.collected() }
    try await begun.wait()
    task.cancel()
    goOn.open()
    #expect(await wasCancelled(task))
    #expect(calls.withLock { $0 } == 3)
  }

  @Test func cancelledFromOutsideWhileAtWork() async throws {
    let (begun, goOn) = (Gate(), Gate())
    let transform = Shifting(hoard: 1 << 30) { chunk in
      #expect(chunk != nil)
      begun.open()
      goOn.waitBlocking()
    }
    let input = ScriptedBody([.bytes(pattern(4 << 20))])
    let body = TransformedBody(
      LoadBody(input), transform: Shifting.Work(plan: transform), url: URL(filePath: "/"), identity: "x",
      byteLimit: 1 << 30)
    let task = Task { try await body.next() }
    try await begun.wait()
    body.cancel()
    #expect(input.cancelled > 0)
    goOn.open()
    #expect(try await task.value == nil)
  }

  @Test func droppedUnread() async throws {
    let input = ScriptedBody(Data([1]), size: 1)
    do {
      let body = try transformed(input, Shifting())
      #expect(input.cancelled == 0)
      _ = body
    }
    #expect(input.cancelled > 0)
    #expect(input.asked == 0)
  }

  @Test func leftLoop() async throws {
    let input = ScriptedBody(pattern(100), size: 1)
    let body = try transformed(input, Shifting())
    for try await _ in body { break }
    #expect(input.cancelled > 0)
    #expect(input.asked == 1)
    #expect(await loadingError { _ = try await body.collected() } == .bodyAlreadyConsumed)
  }

  @Test func bodyOfAnotherConsumer() async throws {
    let response = LoadResponse(ScriptedBody(Data([1]), size: 1))
    _ = try await response.body.collected()
    let body = try response.transformed(by: [Shifting()], byteLimit: 9).body
    #expect(await loadingError { _ = try await body.collected() } == .bodyAlreadyConsumed)
  }

  /// Previews live on this: what has come can be looked at before the rest is there.
  @Test func bytesComeBeforeTheEnd() async throws {
    let server = try ScriptedHTTPServer()
    let (first, second) = (Gate(), Gate())
    let data = pattern(100_000)
    server.route("/a", .gated([(first, data.prefix(40_000)), (second, data.dropFirst(40_000))]))
    let response = try await CurlLoader().load(LoadRequest(url: server.url("/a")))
    #expect(response.expectedLength == 100_000)
    first.open()
    var output = Data()
    for try await chunk in try response.transformed(by: [Shifting()], byteLimit: 1 << 20).body {
      output.append(chunk)
      if output.count == 40_000 { second.open() }
    }
    #expect(output == shifted(data))
  }
}
