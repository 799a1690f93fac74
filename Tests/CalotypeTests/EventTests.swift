import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

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
    for try await event in pipeline.load(ImageRequest(url: server.url("/a.jpg"))).events {
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
      default:
        #expect(responses == 0)
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
    for try await event in pipeline.load(request).events {
      events += 1
      guard case .response(let response) = event else {
        Issue.record("progress from memory")
        return
      }
      #expect(response.source == .memory)
    }
    #expect(events == 1)
  }

  @Test("an observer that follows one that has left begins with the present state")
  func follower() async throws {
    let server = try ScriptedHTTPServer()
    let png = try Samples.png()
    let gate = Gate()
    server.route(
      "/a.png",
      ScriptedReply([
        .head(200, [("Content-Length", "\(png.count)")]), .bytes(png.prefix(20)), .wait(gate),
        .bytes(png.dropFirst(20)),
      ]))
    let pipeline = ImagePipeline.isolated()
    let load = pipeline.load(ImageRequest(url: server.url("/a.png")))
    for _ in 0..<2 {
      var events: [String] = []
      for try await event in load.events {
        switch event {
        case .queued: events.append("queued")
        case .started: events.append("started")
        case .progress(let progress): events.append("\(progress.received)")
        default: Issue.record("\(event)")
        }
        if events.last == "20" { break }
      }
      #expect(events == ["queued", "started", "20"])
    }
    gate.open()
    #expect(try await load.image.width == 8)
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test("a load that ends without an observer gives up its place among the callers")
  func placeOfEndedLoad() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.png", .gated([(gate, try Samples.png())]))
    server.route("/b.png", .body(try Samples.png()))
    var configuration = ImagePipeline.Configuration(loader: Samples.loader, diskCache: nil)
    configuration.limits.callers = 1
    let pipeline = ImagePipeline(configuration)
    let load = pipeline.load(ImageRequest(url: server.url("/a.png")))
    for try await event in load.events { if case .started = event { break } }
    let other = ImageRequest(url: server.url("/b.png"))
    await #expect(throws: PipelineError.self) { try await pipeline.image(for: other) }
    gate.open()
    try await eventually { pipeline.jobs.jobCount == 0 }
    #expect(try await pipeline.image(for: other).width == 8)
    #expect(try await load.image.width == 8)
    await pipeline.settle()
  }

  @Test("breaking out of the loop gives the place up: the connection closes")
  func breakOut() async throws {
    let server = try ScriptedHTTPServer()
    server.route(
      "/a.jpg",
      ScriptedReply([.head(200, [("Content-Length", "1000000")]), .bytes(Data(count: 1000)), .hang]))
    let pipeline = ImagePipeline.isolated()
    for try await event in pipeline.load(ImageRequest(url: server.url("/a.jpg"))).events {
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
      for try await _ in pipeline.load(ImageRequest(url: server.url("/a.jpg"))).events {}
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
    var iterator = ImagePipeline.isolated().load(ImageRequest(url: server.url("/a.jpg"))).events
      .makeAsyncIterator()
    await #expect(throws: LoadingError.self) {
      while let event = try await iterator.next() {
        guard case .response = event else { continue }
        Issue.record("a response to a failed load")
      }
    }
    #expect(try await iterator.next() == nil)
  }

  @Test(
    "whoever shows stale responses and responses shows an image", arguments: ["fresh", "confirmed", "broken"])
  func readmeLoop(server how: String) async throws {
    let server = try ScriptedHTTPServer()
    let png = try Samples.png()
    let headers = [("Cache-Control", "max-age=0, stale-while-revalidate=1000"), ("ETag", "\"1\"")]
    server.route("/a.png", .body(png, headers: headers))
    let folder = try CacheFolder()
    let request = ImageRequest(url: server.url("/a.png"))
    if how != "fresh" {
      let before = ImagePipeline.isolated(disk: folder.diskCache())
      _ = try await before.image(for: request)
      await before.settle()
      server.route("/a.png", .status(how == "broken" ? 500 : 304, headers: headers))
    }
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    var shown: [Int] = []
    for try await event in pipeline.load(request).events {
      switch event {
      case .response(let response): shown.append(response.image.width)
      default: continue
      }
    }
    #expect(shown == [8])
    await pipeline.settle()
  }

  @Test(
    "a server that fails before anybody has looked does not hide what is stale", arguments: [false, true])
  func unseenStale(isRoomShort: Bool) async throws {
    let server = try ScriptedHTTPServer()
    let headers = [("Cache-Control", "max-age=0, stale-while-revalidate=1000"), ("ETag", "\"1\"")]
    server.route("/a.png", .body(try Samples.png(), headers: headers))
    let folder = try CacheFolder()
    let request = ImageRequest(url: server.url("/a.png"))
    let before = ImagePipeline.isolated(disk: folder.diskCache())
    _ = try await before.image(for: request)
    await before.settle()
    let asked = server.requests.count
    let gate = Gate()
    server.route("/a.png", ScriptedReply([.wait(gate), .head(500, [("Content-Length", "0")])]))
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    let place = try pipeline.subscribeToOriginal(of: request, pipeline.want(request))
    try await server.waitForRequests("/a.png", count: asked + 1)
    if isRoomShort { pipeline.context.arriving.giveUpAll() }
    gate.open()
    await place.job.waitUntilStored()
    switch try await place.next(.interim) {
    case .interim(let loaded):
      #expect(!isRoomShort && loaded.provenance.isStale && !loaded.data.isEmpty)
      await #expect(throws: LoadingError.self) { _ = try await place.next(.interim) }
    case .ended(let loaded):
      #expect(isRoomShort && loaded.provenance.isStale && loaded.provenance.failure != nil)
    case let signal: Issue.record("\(signal)")
    }
    place.leave()
    await pipeline.settle()
    #expect(pipeline.statistics.arrivingBytes == 0 && pipeline.context.arriving.count == 0)
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
    /// How far the transfer is, by the events until then.
    func progress(_ iterator: inout ImageLoad.Events.Iterator) async throws -> LoadProgress? {
      while let event = try await iterator.next() {
        if case .progress(let progress) = event { return progress }
      }
      return nil
    }
    let events = pipeline.load(request).events
    var first = events.makeAsyncIterator()
    #expect(try await progress(&first)?.received == 1000)
    // Of the same events, and of others about the same image.
    var second = pipeline.load(request).events.makeAsyncIterator()
    var third = events.makeAsyncIterator()
    #expect(try await progress(&second)?.received == 1000)
    #expect(try await progress(&third)?.received == 1000)
    gate.open()
    while let event = try await second.next() {
      if case .response(let response) = event { #expect(response.image.width == 1731) }
    }
    #expect(server.requests.count == 1)
  }

  @Test(
    "queued, started, progress, response: in this order; opened after the end, the ending alone, every time")
  func order() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .resource(try Samples.png()))
    let pipeline = ImagePipeline.isolated()
    let events = pipeline.load(ImageRequest(url: server.url("/a.png"))).events
    var names: [String] = []
    for try await event in events where names.last != event.name { names.append(event.name) }
    #expect(names == ["queued", "started", "progress", "response"])
    for _ in 0..<2 {
      names = []
      for try await event in events { names.append(event.name) }
      #expect(names == ["response"])
    }
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test(
    "after a failure the failure, the same for everyone who comes later; observers that leave end nothing")
  func afterTheEnd() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .status(500))
    let pipeline = ImagePipeline.isolated()
    let failing = pipeline.load(ImageRequest(url: server.url("/a.png"))).events
    for _ in 0..<3 { await #expect(throws: LoadingError.self) { for try await _ in failing {} } }
    #expect(server.requests(for: "/a.png").count == 1)
    let (open, gate, png) = (Gate(), Gate(), try Samples.png())
    open.open()
    server.route("/b.png", .gated([(open, png.prefix(20)), (gate, png.dropFirst(20))]))
    let load = pipeline.load(ImageRequest(url: server.url("/b.png")))
    for try await event in load.events { if case .started = event { break } }
    for await _ in load.progress { break }
    gate.open()
    #expect(try await load.image.width == 8)
    #expect(try await load.response.source == .loader)
    #expect(server.requests(for: "/b.png").count == 1)
    await pipeline.settle()
  }

  @Test("progress and previews are streams that end with the load; its error is thrown by the result")
  func streams() async throws {
    let server = try ScriptedHTTPServer()
    let photo = try Samples.photo("stream.jpg")
    let gates = [Gate(), Gate()]
    server.route("/a.jpg", .gated([(gates[0], photo.prefix(40_000)), (gates[1], photo.dropFirst(40_000))]))
    server.route("/b.jpg", .status(404))
    let pipeline = ImagePipeline.isolated()
    var request = ImageRequest(url: server.url("/a.jpg"))
    request.previews = .everyPass
    let load = pipeline.load(request)
    async let previews = {
      var count = 0
      for await preview in load.previews {
        count += 1
        #expect(preview.width == 1731)
      }
      return count
    }()
    var received: [Int] = []
    gates[0].open()
    for await progress in load.progress {
      received.append(progress.received)
      if progress.received == 40_000 { gates[1].open() }
    }
    #expect(received == received.sorted() && received.contains(40_000))
    #expect(await previews >= 0)
    #expect(try await load.image.width == 1731)
    let failing = pipeline.load(server.url("/b.jpg"))
    for await _ in failing.progress { Issue.record("bytes of a failed load") }
    await #expect(throws: LoadingError.self) { try await failing.image }
    #expect(server.requests.count == 2)
    await pipeline.settle()
  }

  @Test("a load that nobody holds any more is given up")
  func released() async throws {
    let server = try ScriptedHTTPServer()
    server.route(
      "/a.jpg",
      ScriptedReply([.head(200, [("Content-Length", "1000000")]), .bytes(Data(count: 1000)), .hang]))
    let pipeline = ImagePipeline.isolated()
    do {
      let load = pipeline.load(server.url("/a.jpg"))
      for await _ in load.progress { break }
    }
    try await server.waitForDisconnects("/a.jpg")
    await pipeline.settle()
  }

  @Test("everything that runs can be cancelled, and the pipeline goes on")
  func cancelAll() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .hang)
    server.route("/b.png", .body(try Samples.png()))
    let pipeline = ImagePipeline.isolated()
    let waiting = (0..<3).map { _ in Task { try await pipeline.image(for: server.url("/a.png")) } }
    try await server.waitForRequests("/a.png")
    pipeline.cancelAll()
    for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
    try await server.waitForDisconnects("/a.png")
    #expect(try await pipeline.image(for: server.url("/b.png")).width == 8)
    await pipeline.settle()
  }

  @Test("one of several observers is cancelled: the others get everything")
  func severalObservers() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.png", .gated([(gate, try Samples.png())]))
    let pipeline = ImagePipeline.isolated()
    let events = pipeline.load(ImageRequest(url: server.url("/a.png"))).events
    let observers = (0..<5).map { _ in
      Task {
        var names: [String] = []
        for try await event in events { names.append(event.name) }
        return names
      }
    }
    try await server.waitForRequests("/a.png")
    try await eventually { await pipeline.subscribers >= 5 }
    observers[2].cancel()
    await #expect(throws: CancellationError.self) { try await observers[2].value }
    gate.open()
    for (index, observer) in observers.enumerated() where index != 2 {
      let names = try await observer.value
      #expect(names.first == "queued")
      #expect(names.last == "response")
    }
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test(
    "a stale response first; then that it is right, a new one, or that there is none to be had",
    arguments: [.fit(width: 4, height: 4), nil] as [Thumbnail?])
  func stale(_ thumbnail: Thumbnail?) async throws {
    let server = try ScriptedHTTPServer()
    let folder = try CacheFolder()
    let shade = Shade()
    let isDown = Lock(false)
    server.route("/a.png") { request in
      if isDown.withLock({ $0 }) { return .status(500) }
      let tag = "\"\(shade.value)\""
      guard let png = try? Samples.png(shade: shade.value) else { return .status(500) }
      if request[header: "If-None-Match"] == tag { return .status(304, headers: [("ETag", tag)]) }
      return .body(png, headers: [("ETag", tag), ("Cache-Control", "max-age=0")])
    }
    let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
    var request = ImageRequest(url: server.url("/a.png"))
    request.thumbnail = thumbnail
    request.cachePolicy = .staleWhileRevalidate
    func run() async throws -> [String] {
      var names: [String] = []
      for try await event in pipeline.load(request).events {
        switch event {
        case .queued, .started, .progress: continue
        case .response(let response):
          let name = response.isBeingRevalidated ? "stale" : "response"
          names.append("\(name) \(response.image.bitmap.withUnsafeBytes { $0[0] }) \(response.isStale)")
        default: names.append(event.name)
        }
      }
      await pipeline.settle()
      return names
    }
    #expect(try await run() == ["response 1 false"])
    #expect(try await run() == ["stale 1 true", "confirmed"])
    shade.value = 2
    #expect(try await run() == ["stale 1 true", "response 2 false"])
    isDown.withLock { $0 = true }
    #expect(try await run() == ["stale 2 true", "refreshFailed"])
    isDown.withLock { $0 = false }
    // Who wants one image has it at once, and the server is asked all the same.
    shade.value = 3
    let asked = server.requests.count
    #expect(try await pipeline.response(for: request).isStale)
    await pipeline.settle()
    #expect(server.requests.count == asked + 1)
    #expect(try await run() == ["stale 3 true", "confirmed"])
    // An observer that comes after one that has left sees the same.
    let load = pipeline.load(request)
    #expect(try await load.response.isStale)
    #expect(try await load.image.bitmap.withUnsafeBytes { $0[0] } == 3)
    await pipeline.settle()
  }

  @Test("an observer that is refused leaves the load to those that were admitted")
  func refusedObserver() async throws {
    let (loader, gate) = (FakeLoader(), Gate())
    let url = try #require(URL(string: "http://h/a.png"))
    loader.route(url, .body(try Samples.png()).behind(gate))
    var configuration = ImagePipeline.Configuration(loader: loader, memoryCache: nil, diskCache: nil)
    configuration.limits.callers = 1
    let pipeline = ImagePipeline(configuration)
    let load = pipeline.load(url)
    let first = Task { try await load.image.width }
    try await loader.waitForRequests(url)
    await #expect(throws: PipelineError.self) { try await load.image }
    gate.open()
    #expect(try await first.value == 8)
    await pipeline.settle()
  }

  @Test("the priority of the events is that of the job, live")
  func priority() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .hang)
    let pipeline = ImagePipeline.isolated()
    let load = pipeline.load(ImageRequest(url: server.url("/a.png"), priority: .low))
    let task = Task { for try await _ in load.events {} }
    try await server.waitForRequests("/a.png")
    func priorities() -> Set<UInt8> {
      let jobs = pipeline.jobs
      return Set(
        jobs.images.all.map(\.priority.value.rawValue) + jobs.originals.all.map(\.priority.value.rawValue)
          + jobs.loads.all.map(\.priority.value.rawValue))
    }
    for priority in ImageRequest.Priority.allCases + [.normal, .low] {
      load.priority = priority
      #expect(priorities() == [priority.rawValue])
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    load.priority = .high
    await pipeline.settle()
  }
}

extension ImageLoad.Event {
  fileprivate var name: String {
    switch self {
    case .queued: "queued"
    case .started: "started"
    case .progress: "progress"
    case .preview: "preview"
    case .response: "response"
    case .confirmed: "confirmed"
    case .refreshFailed: "refreshFailed"
    }
  }
}
