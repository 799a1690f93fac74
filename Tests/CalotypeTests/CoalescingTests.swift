import Calotype
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

/// Who asks for the same shares the work; who leaves, leaves alone; the last one closes the door.
@Suite("Coalescing")
struct CoalescingTests {
  @Test("100 callers of one URL: one request, one decode, 100 images")
  func oneRequestOneDecode() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    let photo = try Samples.photo("stream.jpg")
    server.route("/a.jpg", .gated([(gate, photo)]))
    let pipeline = ImagePipeline.isolated()
    let url = server.url("/a.jpg")
    try await withThrowingTaskGroup(of: Image.self) { group in
      for _ in 0..<100 { group.addTask { try await pipeline.image(for: url) } }
      try await server.waitForRequests("/a.jpg")
      gate.open()
      var images = 0
      for try await image in group {
        #expect(image.width == 1731)
        images += 1
      }
      #expect(images == 100)
    }
    #expect(server.requests(for: "/a.jpg").count == 1)
    let statistics = pipeline.statistics
    #expect(statistics.decodes == 1)
    #expect(statistics.loads == 1)
    await pipeline.settle()
  }

  @Test("99 of 100 cancelled: the last one gets its image, from the same single request")
  func cancelAllButOne() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.png", .gated([(gate, try Samples.png())]))
    let pipeline = ImagePipeline.isolated()
    let url = server.url("/a.png")
    // Whoever stays is there before the others leave: after the last one, the job would be another.
    let stays = Task { try await pipeline.image(for: url) }
    try await server.waitForRequests("/a.png")
    let tasks = (0..<99).map { _ in Task { try await pipeline.image(for: url) } }
    for task in tasks { task.cancel() }
    for task in tasks {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    gate.open()
    #expect(try await stays.value.width == 8)
    #expect(server.requests(for: "/a.png").count == 1)
    #expect(server.disconnects("/a.png") == 0)
    await pipeline.settle()
  }

  @Test("all 100 cancelled: the server sees the connection close, and no job is left")
  func cancelAll() async throws {
    let server = try ScriptedHTTPServer()
    server.route(
      "/a.png", ScriptedReply([.head(200, [("Content-Length", "100")]), .bytes(Data([1])), .hang]))
    let pipeline = ImagePipeline.isolated()
    let url = server.url("/a.png")
    let tasks = (0..<100).map { _ in Task { try await pipeline.image(for: url) } }
    try await server.waitForRequests("/a.png")
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    try await server.waitForDisconnects("/a.png")
    #expect(server.requests(for: "/a.png").count == 1)
    await pipeline.settle()
  }

  @Test("after all have left, the next caller starts anew and succeeds")
  func rejoinAfterCancel() async throws {
    let server = try ScriptedHTTPServer()
    let pipeline = ImagePipeline.isolated()
    let png = try Samples.png()
    let url = server.url("/a.png")
    for round in 1...20 {
      server.route("/a.png", .hang)
      let task = Task { try await pipeline.image(for: url) }
      try await server.waitForRequests("/a.png", count: 2 * round - 1)
      task.cancel()
      server.route("/a.png", .body(png))
      var request = ImageRequest(url: url)
      request.cachePolicy = .ignoreHTTPFreshness
      #expect(try await pipeline.image(for: request).width == 8)
      await #expect(throws: CancellationError.self) { try await task.value }
      pipeline.configuration.memoryCache?.removeAll()
      await pipeline.settle()
    }
  }

  @Test("different sizes of one source share its transfer")
  func sizesShareTheTransfer() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.jpg", .gated([(gate, try Samples.photo("stream.jpg"))]))
    let pipeline = ImagePipeline.isolated()
    let url = server.url("/a.jpg")
    try await withThrowingTaskGroup(of: Int.self) { group in
      for width in [16, 32, 64, 128] {
        group.addTask {
          try await pipeline.image(for: ImageRequest(url: url, thumbnail: .fit(width: width, height: 1000)))
            .width
        }
      }
      try await server.waitForRequests("/a.jpg")
      // The gate opens when all four wait for the same original.
      try await eventually { await pipeline.originalSubscribers >= 4 }
      gate.open()
      var widths: Set<Int> = []
      for try await width in group { widths.insert(width) }
      #expect(widths == [16, 32, 64, 128])
    }
    #expect(server.requests(for: "/a.jpg").count == 1)
    await pipeline.settle()
  }

  @Test("a failure reaches every caller, and is not remembered as a job")
  func failureIsShared() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.png", ScriptedReply([.wait(gate), .head(500, [("Content-Length", "0")])]))
    let pipeline = ImagePipeline.isolated()
    let url = server.url("/a.png")
    let tasks = (0..<10).map { _ in Task { try await pipeline.image(for: url) } }
    try await server.waitForRequests("/a.png")
    gate.open()
    for task in tasks { await #expect(throws: LoadingError.self) { try await task.value } }
    await pipeline.settle()
    server.route("/a.png", .body(try Samples.png()))
    #expect(try await pipeline.image(for: url).width == 8)
    await pipeline.settle()
  }

  @Test("requests that may see different bytes never share: Authorization, Cookie, Accept")
  func headersSeparate() async throws {
    let server = try ScriptedHTTPServer()
    let shades: [String: UInt8] = ["a": 10, "b": 20, "c": 30]
    let bodies = try shades.mapValues { try Samples.png(shade: $0) }
    for field in ["Authorization", "Cookie", "Accept"] {
      server.route("/a.png") { request in
        bodies[request[header: field] ?? ""].map { .body($0) } ?? .status(403)
      }
      let folder = try CacheFolder()
      let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
      // Twice: from the server, then from the caches.
      for _ in 0..<2 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (value, shade) in shades {
            for _ in 0..<4 {
              group.addTask {
                var request = ImageRequest(url: server.url("/a.png"))
                request.headers[try #require(.init(field))] = value
                let image = try await pipeline.image(for: request)
                #expect(image.bitmap.withUnsafeBytes { $0[0] } == shade)
              }
            }
          }
          try await group.waitForAll()
        }
        await #expect(throws: LoadingError.self) { try await pipeline.image(for: server.url("/a.png")) }
        pipeline.configuration.memoryCache?.removeAll()
        await pipeline.settle()
      }
    }
  }

  @Test("nobody's load ends because somebody else was in a hurry")
  func deadlinesAreApart() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.png", .gated([(gate, try Samples.png())]))
    let pipeline = ImagePipeline.isolated()
    var hasty = ImageRequest(url: server.url("/a.png"))
    // Long enough for a busy machine to send the request.
    hasty.timeouts.total = .milliseconds(800)
    let hastyTask = Task { [hasty] in try await pipeline.image(for: hasty) }
    try await server.waitForRequests("/a.png")
    let patient = Task { try await pipeline.image(for: server.url("/a.png")) }
    await #expect(throws: LoadingError.self) { try await hastyTask.value }
    gate.open()
    #expect(try await patient.value.width == 8)
    await pipeline.settle()
  }

  @Test("1,000 callers, 10 sources, 3 in 10 cancelled at random: one ending each, nothing left behind")
  func storm() async throws {
    let server = try ScriptedHTTPServer()
    for index in 0..<10 { server.route("/\(index).png", .body(try Samples.png(shade: UInt8(index)))) }
    let pipeline = ImagePipeline.isolated()
    var random = SystemRandomNumberGenerator()
    let tasks = (0..<1000).map { index in
      let url = server.url("/\(index % 10).png")
      let thumbnail: Thumbnail? = index % 3 == 0 ? .fit(width: 4, height: 4) : nil
      return Task { try await pipeline.image(for: ImageRequest(url: url, thumbnail: thumbnail)) }
    }
    var cancelled: Set<Int> = []
    for index in tasks.indices where Int.random(in: 0..<10, using: &random) < 3 {
      tasks[index].cancel()
      cancelled.insert(index)
    }
    for (index, task) in tasks.enumerated() {
      switch await task.result {
      case .success(let image):
        #expect(image.bitmap.withUnsafeBytes { $0[0] } == UInt8(index % 10))
      case .failure(let error):
        #expect(error is CancellationError)
        #expect(cancelled.contains(index))
      }
    }
    await pipeline.settle()
  }
}
