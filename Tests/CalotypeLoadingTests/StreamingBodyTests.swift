import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

@Suite("Bytes while they arrive", .timeLimit(.minutes(1)))
struct StreamingBodyTests {
  private static let request = LoadRequest(source: .data(Data(), id: "arriving"))

  private func loader(_ body: @escaping @Sendable () -> LoadResponse) -> ClosureLoader {
    ClosureLoader(accepts: { _ in true }, load: { _ in body() })
  }

  /// What one sees who only asks for what is new.
  private struct Reader {
    let arriving: StreamingBody
    var seen = Data()

    mutating func look() {
      seen.append(arriving.bytes(from: seen.count))
    }
  }

  @Test(arguments: [nil, 10_000])
  func canBeReadMeanwhile(declared: Int?) async throws {
    let bytes = pattern(10_000)
    let (asked, open) = (Gate(), Gate())
    let steps: [ScriptedBody.Step] = [
      .bytes(bytes.prefix(1_000)), .bytes(bytes[1_000..<4_000]), .wait(asked: asked, open: open),
      .bytes(bytes[4_000...]),
    ]
    let loader = loader { LoadResponse(ScriptedBody(steps), expectedLength: declared) }
    let arriving = StreamingBody()
    #expect(arriving.bytes(from: 0).isEmpty && arriving.count == 0)
    let load = Task {
      try await loader.data(for: Self.request, into: arriving, onResponse: { _ in }, progress: { _ in }).0
    }
    try await asked.wait()
    var reader = Reader(arriving: arriving)
    reader.look()
    #expect(reader.seen == bytes.prefix(4_000) && arriving.count == 4_000)
    #expect(arriving.bytes(from: 3_999) == bytes[3_999..<4_000])
    for nothing in [4_000, 4_001, .max, -1, .min] { #expect(arriving.bytes(from: nothing).isEmpty) }
    open.open()
    #expect(try await load.value == bytes)
    reader.look()
    #expect(reader.seen == bytes && !arriving.isSpooled)
  }

  @Test func severalReadWhileOneLoads() async throws {
    let bytes = pattern(1 << 20)
    let loader = loader { LoadResponse(ScriptedBody(bytes, size: 1_777), expectedLength: bytes.count) }
    let arriving = StreamingBody()
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { @concurrent in
          var reader = Reader(arriving: arriving)
          while reader.seen.count < bytes.count {
            reader.look()
            await Task.yield()
          }
          #expect(reader.seen == bytes)
        }
      }
      group.addTask { @concurrent in
        let told = Lock(0)
        let (data, _) = try await loader.data(
          for: Self.request, into: arriving, onResponse: { _ in },
          progress: { progress in
            // Whoever is told of bytes can have them.
            if arriving.bytes(from: progress.received - 1).count != 1 { told.withLock { $0 += 1 } }
          })
        #expect(data == bytes && told.withLock { $0 } == 0)
      }
      try await group.waitForAll()
    }
  }

  @Test func theHeadIsToldBeforeTheBytes() async throws {
    let arriving = StreamingBody()
    let heads = Lock<[Int?]>([])
    let answer = loader { LoadResponse(ScriptedBody([.bytes(Data([1]))]), status: 200) }
    _ = try await answer.data(
      for: Self.request, into: arriving,
      onResponse: { response in
        heads.withLock { $0.append(response.status) }
        #expect(arriving.count == 0)
      }, progress: { _ in })
    #expect(heads.withLock { $0 } == [200])
    let unchanged = loader { LoadResponse(ScriptedBody([]), status: 304) }
    let (data, response) = try await unchanged.data(
      for: Self.request, into: StreamingBody(), onResponse: { _ in Issue.record("304 is no news") },
      progress: { _ in })
    #expect(data.isEmpty && response.isNotModified)
  }

  @Test(arguments: [nil, 5_000])
  func whatIsTooMuchForMemoryCannotBeRead(declared: Int?) async throws {
    let bytes = pattern(5_000)
    let loader = loader { LoadResponse(ScriptedBody(bytes, size: 1_000), expectedLength: declared) }
    var request = Self.request
    request.memoryByteLimit = 2_500
    let arriving = StreamingBody()
    let readable = Lock<[Int]>([])
    let (data, _) = try await loader.data(
      for: request, into: arriving, onResponse: { _ in },
      progress: { progress in
        #expect(arriving.count == progress.received)
        readable.withLock { $0.append(arriving.bytes(from: 0).count) }
      })
    #expect(data == bytes)
    #expect(arriving.isSpooled && arriving.count == 5_000 && arriving.bytes(from: 0).isEmpty)
    // Once more at the end, where nobody knew that these were all.
    #expect(readable.withLock { $0 } == (declared == nil ? [1_000, 2_000, 0, 0, 0, 0] : [0, 0, 0, 0, 0]))
  }

  @Test func bodiesThatGoOnStayInOnePiece() async throws {
    let server = try ScriptedHTTPServer()
    let bytes = pattern(20_000)
    server.route("/a") { request in
      let reply = ScriptedReply.resource(bytes, etag: "\"1\"", for: request)
      return request[header: "Range"] == nil ? reply.cut(after: 8_000) : reply
    }
    let arriving = StreamingBody()
    var reader = Reader(arriving: arriving)
    let heads = Lock(0)
    let (data, _) = try await Waits().loader().data(
      for: LoadRequest(url: server.url("/a")), into: arriving,
      onResponse: { _ in heads.withLock { $0 += 1 } },
      progress: { _ in reader.look() })
    #expect(data == bytes && reader.seen == bytes && server.requests.count == 2)
    #expect(heads.withLock { $0 } == 1)
  }

  @Test func whatBrokeOffStays() async throws {
    let loader = loader {
      LoadResponse(ScriptedBody([.bytes(Data([1, 2])), .fail(CancellationError())]), expectedLength: 9)
    }
    let arriving = StreamingBody()
    await #expect(throws: CancellationError.self) {
      try await loader.data(for: Self.request, into: arriving, onResponse: { _ in }, progress: { _ in })
    }
    #expect(arriving.bytes(from: 0) == Data([1, 2]))
  }

  /// The one chunk of a body is handed on as it is; what is read of it is not.
  @Test func nothingIsCopiedThatNobodyReads() async throws {
    let bytes = pattern(100_000)
    let loader = loader { LoadResponse(ScriptedBody([.bytes(bytes)]), expectedLength: bytes.count) }
    func address(_ data: Data) -> UInt { data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    let arriving = StreamingBody()
    let (data, _) = try await loader.data(
      for: Self.request, into: arriving, onResponse: { _ in }, progress: { _ in })
    #expect(address(data) == address(bytes))
    #expect(address(arriving.bytes(from: 0)) != address(bytes) && arriving.bytes(from: 0) == bytes)
  }

  private func address(_ data: Data) -> UInt { data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }

  /// Malloc keeps some bytes before each block; pages begin with a page.
  private func isInPages(_ data: Data) -> Bool { address(data) % 4096 == 0 }

  @Test(arguments: [nil, 100, PageMemory.threshold, 3_000_000, Int.max])
  func largeBodiesAreInPages(declared: Int?) {
    let bytes = pattern(3_000_000)
    let arriving = StreamingBody()
    var reader = Reader(arriving: arriving)
    for start in stride(from: 0, to: bytes.count, by: 99_991) {
      arriving.append(Data(bytes[start..<min(bytes.count, start + 99_991)]), expecting: declared)
      reader.look()
    }
    #expect(reader.seen == bytes && arriving.count == bytes.count)
    let all = arriving.all
    #expect(all == bytes && isInPages(all))
    #expect(address(arriving.all) == address(all))
    #expect(arriving.bytes(from: 2_999_999) == bytes[2_999_999...])
    // Somebody has them: they stay as they are, whatever comes.
    arriving.append(Data([1, 2, 3]), expecting: declared)
    #expect(all == bytes && arriving.all == bytes + [1, 2, 3])
  }

  @Test(.enabled(if: !Sanitizer.isOn, "sanitizers have a malloc of their own"))
  func smallBodiesAreNot() {
    let arriving = StreamingBody()
    let bytes = pattern(200_000)
    for start in stride(from: 0, to: bytes.count, by: 50_000) {
      arriving.append(Data(bytes[start..<start + 50_000]), expecting: bytes.count)
    }
    #expect(arriving.all == bytes && !isInPages(arriving.all))
  }

  @Test func pagesGoWithTheBytes() throws {
    func held() throws -> Int {
      let line = try #require(
        SmallFile.text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("VmSize:") })
      return (line.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
    let chunk = pattern(32 << 20)
    // Other tests take address space and give it back meanwhile.
    for _ in 0..<20 {
      let before = try held()
      var arriving: StreamingBody? = StreamingBody()
      for _ in 0..<12 { arriving?.append(chunk, expecting: nil) }
      var all = arriving?.all
      arriving = nil
      #expect(all?.count == 384 << 20)
      let during = try held()
      all = nil
      if during - before > 256 << 20, try held() - before < 256 << 20 { return }
    }
    Issue.record("the pages stay")
  }

  @Test func pagesAreSpooledToo() {
    let bytes = pattern(1_000_000)
    let arriving = StreamingBody()
    arriving.append(bytes.prefix(500_000), expecting: nil)
    arriving.append(Data(bytes[500_000...]), expecting: nil)
    #expect(arriving.takeForSpooling() == bytes)
    #expect(arriving.isSpooled && arriving.bytes(from: 0).isEmpty && arriving.count == bytes.count)
  }
}
