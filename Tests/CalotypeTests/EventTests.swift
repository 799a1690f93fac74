import Calotype
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Events")
struct EventTests {
  @Test("progress rises, then comes the response, then the end")
  func progress() async throws {
    let server = try ScriptedHTTPServer()
    let photo = try Samples.photo("stream.jpg")
    let gates = (0..<4).map { _ in Gate() }
    let quarter = photo.count / 4
    let pieces = gates.enumerated().map { index, gate in
      (gate: gate, data: Data(photo[(index * quarter)..<(index == 3 ? photo.count : (index + 1) * quarter)]))
    }
    server.route("/a.jpg", .gated(pieces))
    let pipeline = ImagePipeline.isolated()
    var received: [Int] = []
    var responses = 0
    gates[0].open()
    for try await event in pipeline.events(for: ImageRequest(url: server.url("/a.jpg"))) {
      switch event {
      case .progress(let progress):
        #expect(responses == 0)
        #expect(progress.expected == photo.count)
        received.append(progress.received)
        // The next piece comes when all before it were seen here.
        if let next = gates.indices.first(where: { $0 * quarter == progress.received }) { gates[next].open() }
      case .response(let response):
        responses += 1
        #expect(response.image.width == 1731)
        #expect(response.source == .loader)
      }
    }
    #expect(responses == 1)
    #expect(received == received.sorted())
    #expect(received.count >= 3)
    #expect(received.contains(quarter))
    await pipeline.settle()
  }

  @Test("an image in memory is one response and nothing else")
  func memory() async throws {
    let pipeline = ImagePipeline.isolated()
    let request = ImageRequest(source: .data(try Samples.png(), id: "a"))
    _ = try await pipeline.image(for: request)
    var events = 0
    for try await event in pipeline.events(for: request) {
      events += 1
      guard case .response(let response) = event else {
        Issue.record("progress from memory")
        return
      }
      #expect(response.source == .memory)
    }
    #expect(events == 1)
  }

  @Test("breaking out of the loop gives the place up: the connection closes")
  func breakOut() async throws {
    let server = try ScriptedHTTPServer()
    server.route(
      "/a.jpg",
      ScriptedReply([.head(200, [("Content-Length", "1000000")]), .bytes(Data(count: 1000)), .hang]))
    let pipeline = ImagePipeline.isolated()
    for try await event in pipeline.events(for: ImageRequest(url: server.url("/a.jpg"))) {
      if case .progress = event { break }
    }
    try await server.waitForDisconnects("/a.jpg")
    await pipeline.settle()
  }

  @Test("cancelling the iterating task ends it with CancellationError")
  func cancel() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.jpg", .hang)
    let pipeline = ImagePipeline.isolated()
    let task = Task {
      for try await _ in pipeline.events(for: ImageRequest(url: server.url("/a.jpg"))) {}
    }
    try await server.waitForRequests("/a.jpg")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await server.waitForDisconnects("/a.jpg")
    await pipeline.settle()
  }

  @Test("a failed load throws once and then ends")
  func failure() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.jpg", .status(404))
    var iterator = ImagePipeline.isolated().events(for: ImageRequest(url: server.url("/a.jpg")))
      .makeAsyncIterator()
    await #expect(throws: LoadingError.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test("a joiner sees where the transfer is")
  func joiner() async throws {
    let server = try ScriptedHTTPServer()
    let (gate, photo) = (Gate(), try Samples.photo("stream.jpg"))
    let open = Gate()
    open.open()
    server.route("/a.jpg", .gated([(open, photo.prefix(1000)), (gate, photo.dropFirst(1000))]))
    let pipeline = ImagePipeline.isolated()
    let request = ImageRequest(url: server.url("/a.jpg"))
    var first = pipeline.events(for: request).makeAsyncIterator()
    _ = try await first.next()
    var second = pipeline.events(for: request).makeAsyncIterator()
    guard case .progress(let progress)? = try await second.next() else {
      Issue.record("no progress")
      return
    }
    #expect(progress.received == 1000)
    gate.open()
    while let event = try await second.next() {
      if case .response(let response) = event { #expect(response.image.width == 1731) }
    }
    #expect(server.requests.count == 1)
  }
}
