import Calotype
import CalotypeTestKit
import FoundationEssentials
import Testing

/// A loader that does what it is told, and sees what is asked of it.
@Suite("Fake loader", .timeLimit(.minutes(5)))
struct FakeLoaderTests {
  private let loader = FakeLoader()
  private let url = URL(filePath: "/fake/a")
  private let other = URL(filePath: "/fake/b")

  @Test("a body comes in its chunks, with its head")
  func chunks() async throws {
    loader.route(
      url, .body(Data(0..<10), chunk: 4, headers: [.contentType: "image/png"]))
    let response = try await loader.load(LoadRequest(url: url))
    #expect(response.status == 200 && response.expectedLength == 10 && response.url == url)
    #expect(response.contentType == "image/png")
    var chunks: [Data] = []
    for try await chunk in response.body { chunks.append(chunk) }
    #expect(chunks == [Data(0..<4), Data(4..<8), Data(8..<10)])
    #expect(loader.running == 0 && loader.peakRunning == 1 && loader.cancellations == 0)
    #expect(loader.requests == [LoadRequest(url: url)])
  }

  @Test("slices with indices of their own are cut right, and empty chunks are left out")
  func slices() async throws {
    loader.route(url, .body(Data(0..<100)[50..<57], chunk: 3))
    #expect(try await loader.data(for: LoadRequest(url: url)).0 == Data(50..<57))
    loader.route(url, FakeReply([.bytes(Data()), .bytes(Data([1])), .bytes(Data())]))
    #expect(try await loader.data(for: LoadRequest(url: url)).0 == Data([1]))
    #expect(loader.running == 0)
  }

  @Test("bytes are delivered no faster than they are taken, and gates hold them back")
  func pulled() async throws {
    let (asked, gate) = (Gate(), Gate())
    loader.route(
      url, FakeReply([.bytes(Data([1])), .bytes(Data([2])), .signal(asked), .wait(gate), .bytes(Data([3]))]))
    let response = try await loader.load(LoadRequest(url: url))
    #expect(loader.bytesDelivered(url) == 0)
    var iterator = response.body.makeAsyncIterator()
    #expect(try await iterator.next() == Data([1]))
    #expect(loader.bytesDelivered(url) == 1 && !asked.isOpen)
    #expect(try await iterator.next() == Data([2]))
    async let opening: Void = {
      try await asked.wait()
      gate.open()
    }()
    #expect(try await iterator.next() == Data([3]))
    try await opening
    // The last bytes are the end, whether or not somebody asks for more.
    #expect(loader.running == 0)
    #expect(try await iterator.next() == nil)
  }

  @Test("statuses are errors, unless the request lets them through")
  func statuses() async throws {
    loader.route(url, .body(Data([7]), status: 503, headers: [.retryAfter: "1"]))
    await #expect(throws: LoadingError.httpStatus(url, status: 503, headers: [.retryAfter: "1"])) {
      try await loader.load(LoadRequest(url: url))
    }
    #expect(try await loader.data(for: LoadRequest(url: url, statuses: .any)).0 == Data([7]))
    await #expect(throws: LoadingError.httpStatus(other, status: 404, headers: [:])) {
      try await loader.load(LoadRequest(url: other))
    }
    #expect(loader.requests(for: url).count == 2 && loader.requests(for: other).count == 1)
    #expect(loader.running == 0 && loader.cancellations == 0)
  }

  @Test(
    "what the request holds is answered with 304",
    arguments: [
      (#""a""#, nil, true), (#"W/"a""#, nil, true), (#""b""#, nil, false), (#""b", "a""#, nil, true),
      ("*", nil, true), (nil, "then", true), (nil, "now", false), (#""b""#, "then", false),
    ] as [(String?, String?, Bool)])
  func notModified(etag: String?, lastModified: String?, isHeld: Bool) async throws {
    loader.route(url, .body(Data([1]), headers: [.eTag: #""a""#, .lastModified: "then"]))
    var request = LoadRequest(url: url)
    request.validators = LoadRequest.Validators(etag: etag, lastModified: lastModified)
    let response = try await loader.load(request)
    #expect(response.isNotModified == isHeld)
    #expect(response.headers[.eTag] == #""a""#)
    #expect(loader.running == (isHeld ? 0 : 1))
    var bytes = Data()
    for try await chunk in response.body { bytes.append(chunk) }
    #expect(bytes == (isHeld ? Data() : Data([1])))
    #expect(loader.cancellations == 0)
  }

  @Test("conditions in the header fields count like validators")
  func conditionalFields() async throws {
    loader.route(url, .body(Data([1]), headers: [.eTag: #""a""#]))
    let held = LoadRequest(url: url, headers: [.ifNoneMatch: #""x", W/"a" "#])
    #expect(try await loader.load(held).isNotModified)
    #expect(try await !loader.load(LoadRequest(url: url, headers: [.ifModifiedSince: "then"])).isNotModified)
  }

  @Test("a body that is cut off fails after so many bytes, as a lost connection does or as told")
  func cut() async throws {
    struct Lightning: Error {}
    let reply = FakeReply.body(Data(0..<10), chunk: 4)
    loader.route(url, reply.cut(after: 6), reply.cut(after: 4, with: Lightning()), reply.cut(after: 0))
    for (count, isTruncated) in [(6, true), (4, false), (0, true)] {
      var received = Data()
      do {
        for try await chunk in try await loader.load(LoadRequest(url: url)).body { received.append(chunk) }
        Issue.record("it ended")
      } catch let error as LoadingError {
        #expect(error == .truncatedBody(url, received: count, expected: 10) && isTruncated)
      } catch {
        #expect(error is Lightning && !isTruncated)
      }
      #expect(received == Data(0..<UInt8(count)))
    }
    #expect(loader.running == 0 && loader.cancellations == 0)
  }

  @Test("one reply after the other, the last one from then on; errors instead of answers")
  func sequence() async throws {
    loader.route(
      url, .failure(LoadingError.hostNotFound(url, host: "a")), .status(500), .body(Data([1])))
    await #expect(throws: LoadingError.hostNotFound(url, host: "a")) {
      try await loader.load(LoadRequest(url: url))
    }
    await #expect(throws: LoadingError.self) { try await loader.load(LoadRequest(url: url)) }
    for _ in 0..<3 { #expect(try await loader.data(for: LoadRequest(url: url)).0 == Data([1])) }
  }

  @Test("limits of the request hold, for what is declared and for what comes")
  func limits() async throws {
    loader.route(url, .body(Data(count: 10), chunk: 4))
    await #expect(throws: LoadingError.tooLarge(.url(url), limit: 9, declared: 10)) {
      try await loader.load(LoadRequest(url: url, byteLimit: 9))
    }
    var silent = FakeReply.body(Data(count: 10), chunk: 4)
    silent.expectedLength = nil
    loader.route(url, silent)
    let response = try await loader.load(LoadRequest(url: url, byteLimit: 9))
    var received = 0
    await #expect(throws: LoadingError.tooLarge(.url(url), limit: 9, declared: nil)) {
      for try await chunk in response.body { received += chunk.count }
    }
    #expect(received == 8 && loader.running == 0)
  }

  @Test("replies can be computed, and unknown URLs are up to the closure of the loader")
  func computed() async throws {
    let loader = FakeLoader { request in
      FakeReply.body(Data((request.source.url?.lastPathComponent ?? "").utf8))
    }
    #expect(try await loader.data(for: LoadRequest(url: url)).0 == Data("a".utf8))
    loader.route(url) { request in .body(Data((request.headers[.accept] ?? "").utf8)) }
    let request = LoadRequest(url: url, headers: [.accept: "image/*"])
    #expect(try await loader.data(for: request).0 == Data("image/*".utf8))
    #expect(try await loader.data(for: LoadRequest(url: other)).0 == Data("b".utf8))
    #expect(FakeLoader([url: .status(200)]).accepts(.url(url)))
    let bytes = ImageSource.data(Data(), id: "1")
    #expect(!loader.accepts(bytes))
    await #expect(throws: LoadingError.unsupportedScheme(bytes)) {
      try await loader.load(LoadRequest(source: bytes))
    }
  }

  @Test("counts those that run, and the most of them")
  func running() async throws {
    let gate = Gate()
    loader.route(url, .body(Data([1])).behind(gate))
    let (loader, url) = (loader, url)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { _ = try await loader.data(for: LoadRequest(url: url)) } }
      try await loader.waitForRequests(url, count: 5)
      #expect(loader.running == 5)
      gate.open()
      try await group.waitForAll()
    }
    try await loader.waitUntilIdle()
    _ = try await loader.data(for: LoadRequest(url: url))
    #expect(loader.peakRunning == 5 && loader.requests.count == 6)
  }

  @Test("a cancelled task ends a load, before its head and within its body")
  func cancelled() async throws {
    loader.route(url, FakeReply.hang.behind(Gate()))
    loader.route(other, .hang)
    let (loader, url, other) = (loader, url, other)
    for url in [url, other] {
      let task = Task { try await loader.data(for: LoadRequest(url: url)) }
      try await loader.waitForRequests(url)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(loader.running == 0 && loader.cancellations == 2)
  }

  @Test("a consumer that leaves ends a load; one that has all bytes does not")
  func left() async throws {
    loader.route(url, .body(Data(0..<10), chunk: 5))
    for stop in [1, 2] {
      var chunks = 0
      for try await _ in try await loader.load(LoadRequest(url: url)).body {
        chunks += 1
        if chunks == stop { break }
      }
      #expect(loader.cancellations == 1 && loader.running == 0)
    }
    _ = try await loader.load(LoadRequest(url: url))
    try await loader.waitForCancellations(2)
    #expect(loader.running == 0)
  }
}
