import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Synchronization
import PipelineSamples
import Testing

@testable import Calotype

/// The end of a pipeline: nobody is left waiting, nothing is left running, everything is stored.
@Suite("Shutting down", .timeLimit(.minutes(5)))
struct ShutDownTests {
  private let clock = TestClock()

  private func pipeline(
    disk: (any DataCaching)? = nil, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    var configuration = ImagePipeline.Configuration(loader: Samples.loader, diskCache: disk)
    configuration.memoryCache = MemoryCache(byteLimit: 1 << 20)
    configuration.clock = clock
    change(&configuration)
    return ImagePipeline(configuration)
  }

  private func untilClosed(_ pipeline: ImagePipeline) async throws {
    try await eventually { pipeline.isClosed.load(ordering: .relaxed) }
  }

  @Test("what runs ends as ever, what comes is refused, and nothing is left")
  func drains() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.png", .gated([(gate, try Samples.png())]))
    let pipeline = pipeline()
    let url = server.url("/a.png")
    let running = Task { try await pipeline.image(for: url) }
    try await server.waitForRequests("/a.png")
    let end = Task { await pipeline.shutDown(within: .seconds(30)) }
    try await untilClosed(pipeline)
    // Even of what is being loaded.
    await #expect(throws: PipelineError.shutDown) { try await pipeline.image(for: url) }
    await #expect(throws: PipelineError.shutDown) { try await pipeline.data(for: url) }
    await #expect(throws: PipelineError.shutDown) {
      for try await _ in pipeline.load(ImageRequest(url: url)).events {}
    }
    gate.open()
    #expect(try await running.value.width == 8)
    await end.value
    #expect(await pipeline.isAtRest)
    #expect(server.disconnects("/a.png") == 0)
  }

  @Test(
    "work on images at hand is cancelled, awaited and refused like all other work", arguments: [false, true])
  func workAtHand(cancels: Bool) async throws {
    let pipeline = pipeline()
    let image = try Image(data: Samples.png())
    let (entered, gate, isOver) = (Gate(), Gate(), Lock(false))
    // Holds one of the decoding threads, as a step in its loops does.
    let slow = ImageTransform.custom(id: "slow") { bitmap in
      entered.open()
      while !gate.isOpen { usleep(1_000) }
      isOver.withLock { $0 = true }
      return bitmap
    }
    let work = Task { try await pipeline.transform(image, by: [slow]) }
    try await entered.wait()
    if cancels {
      pipeline.cancelAll()
      await #expect(throws: CancellationError.self) { try await work.value }
      gate.open()
      #expect(try await pipeline.transform(image, by: [.invert()]).width == 8)
    }
    let end = Task {
      await pipeline.shutDown(within: .seconds(30))
      return isOver.withLock { $0 }
    }
    try await untilClosed(pipeline)
    gate.open()
    #expect(await end.value)
    if !cancels { #expect(try await work.value.width == 8) }
    await #expect(throws: PipelineError.shutDown) { try await pipeline.transform(image, by: [.invert()]) }
    await #expect(throws: PipelineError.shutDown) { try await pipeline.summary(of: image) }
    await #expect(throws: PipelineError.shutDown) { try await pipeline.encode(image, as: .png) }
    #expect(await pipeline.isAtRest)
  }

  @Test("work of a program runs in turn with transforms, and is refused after the end")
  func workOfAProgram() async throws {
    let pipeline = pipeline { $0.limits.transforms = 1 }
    let image = try Image(data: Samples.png())
    let (entered, gate, order) = (Gate(), Gate(), Lock<[String]>([]))
    let work = Task {
      try await pipeline.compute {
        entered.open()
        while !gate.isOpen { usleep(1_000) }
        order.withLock { $0.append("work") }
      }
    }
    try await entered.wait()
    let step = ImageTransform.custom(id: "step") { bitmap in
      order.withLock { $0.append("transform") }
      return bitmap
    }
    let transform = Task { try await pipeline.transform(image, by: [step]) }
    try await eventually { pipeline.jobs.requestCount == 2 }
    gate.open()
    try await work.value
    #expect(try await transform.value.width == 8)
    #expect(order.withLock { $0 } == ["work", "transform"])
    await #expect(throws: ImagingError.cancelled) {
      try await pipeline.compute { throw ImagingError.cancelled }
    }
    await pipeline.shutDown(within: .seconds(30))
    await #expect(throws: PipelineError.shutDown) { try await pipeline.compute {} }
  }

  @Test("work on images at hand counts among the callers and the jobs, and is refused beyond the limit")
  func workAtHandIsLimited() async throws {
    let pipeline = pipeline { $0.limits.callers = 2 }
    let image = try Image(data: Samples.png())
    let (gate, entered) = (Gate(), Lock(0))
    let slow = ImageTransform.custom(id: "slow") { bitmap in
      entered.withLock { $0 += 1 }
      while !gate.isOpen { usleep(1_000) }
      return bitmap
    }
    let works = (0..<2).map { _ in Task { try await pipeline.transform(image, by: [slow]) } }
    try await eventually { pipeline.jobs.requestCount == 2 }
    await #expect {
      try await pipeline.summary(of: image)
    } throws: { error in
      guard case PipelineError.overloaded = error else { return false }
      return true
    }
    // A caller that leaves makes room for another.
    works[1].cancel()
    await #expect(throws: CancellationError.self) { try await works[1].value }
    gate.open()
    #expect(try await works[0].value.width == 8)
    #expect(try await pipeline.encode(image, as: .png).isEmpty == false)
    await pipeline.settle()
  }

  @Test("a job that has not come to its load yet may still load")
  func finishesWhatHasBegun() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .body(try Samples.png()))
    let (asked, gate) = (Gate(), Gate())
    let pipeline = pipeline { configuration in
      configuration.shouldLoad = { _ in
        asked.open()
        try await gate.wait()
        return .allow
      }
    }
    let running = Task { try await pipeline.image(for: server.url("/a.png")) }
    try await asked.wait()
    let end = Task { await pipeline.shutDown(within: .seconds(30)) }
    try await untilClosed(pipeline)
    gate.open()
    #expect(try await running.value.width == 8)
    await end.value
    #expect(await pipeline.isAtRest)
  }

  @Test("after the deadline every caller gets the error once, and the server sees the connection close")
  func deadline() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .hang)
    let pipeline = pipeline()
    let request = ImageRequest(url: server.url("/a.png"))
    let endings = Lock(0)
    let images = (0..<10).map { _ in
      Task {
        defer { endings.withLock { $0 += 1 } }
        return try await pipeline.image(for: request)
      }
    }
    let data = Task { try await pipeline.data(for: request) }
    let events = Task { for try await _ in pipeline.load(request).events {} }
    try await server.waitForRequests("/a.png")
    try await eventually { await pipeline.subscribers >= 11 }
    let end = Task { await pipeline.shutDown(within: .seconds(30)) }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(27))
    #expect(endings.withLock { $0 } == 0)
    clock.advance(by: .seconds(1))
    for task in images { await #expect(throws: PipelineError.shutDown) { try await task.value } }
    await #expect(throws: PipelineError.shutDown) { try await data.value }
    await #expect(throws: PipelineError.shutDown) { try await events.value }
    try await server.waitForDisconnects("/a.png")
    await end.value
    #expect(endings.withLock { $0 } == 10)
    #expect(await pipeline.isAtRest)
  }

  @Test("a job that notices late that it was aborted begins nothing any more")
  func beginsNothing() async throws {
    let server = try ScriptedHTTPServer()
    let (asked, gate) = (Gate(), Gate())
    let pipeline = pipeline { configuration in
      configuration.shouldLoad = { _ in
        asked.open()
        // Deaf to cancelling.
        try await Task { try await gate.wait() }.value
        return .allow
      }
    }
    let running = Task { try await pipeline.image(for: server.url("/a.png")) }
    try await asked.wait()
    await pipeline.invalidate()
    await #expect(throws: PipelineError.shutDown) { try await running.value }
    gate.open()
    await pipeline.shutDown(within: .seconds(30))
    #expect(server.requests.isEmpty)
    #expect(await pipeline.isAtRest)
  }

  /// A pipeline that has delivered an image and is storing it.
  private func storing(in cache: GatedCache) async throws -> ImagePipeline {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .resource(try Samples.png()))
    let pipeline = pipeline(disk: cache)
    _ = try await pipeline.image(for: server.url("/a.png"))
    try await cache.entered.wait()
    return pipeline
  }

  @Test("what is being stored is stored, then the caches are flushed")
  func storesFirst() async throws {
    let cache = GatedCache()
    let pipeline = try await storing(in: cache)
    let end = Task { await pipeline.shutDown(within: .seconds(30)) }
    try await untilClosed(pipeline)
    cache.gate.open()
    await end.value
    #expect(cache.notes.first == "stored")
    #expect(Set(cache.notes.dropFirst()) == ["flushed"])
    #expect(cache.count == 1)
    #expect(await pipeline.isAtRest)
  }

  @Test("a store that does not end in time is cancelled; the caches are flushed without it")
  func storesInTime() async throws {
    let cache = GatedCache()
    let pipeline = try await storing(in: cache)
    await pipeline.shutDown(within: .zero)
    #expect(cache.notes.first == "cancelled")
    #expect(Set(cache.notes.dropFirst()) == ["flushed"])
    #expect(cache.count == 0)
    #expect(await pipeline.isAtRest)
  }

  @Test("another pipeline finds in the folder what this one stored while it was shut down")
  func foldersAreWhole() async throws {
    let folder = try CacheFolder()
    let server = try ScriptedHTTPServer()
    for index in 0..<20 { server.route("/\(index).png", .resource(try Samples.png(shade: UInt8(index)))) }
    let pipeline = pipeline(disk: folder.diskCache())
    let urls = (0..<20).map { server.url("/\($0).png") }
    for url in urls { _ = try await pipeline.image(for: url) }
    await pipeline.shutDown(within: .seconds(30))
    #expect(await pipeline.isAtRest)
    var cacheOnly = ImagePipeline.Configuration(loader: LoaderGroup.standard, diskCache: folder.diskCache())
    cacheOnly.memoryCache = nil
    let other = ImagePipeline(cacheOnly)
    for (index, url) in urls.enumerated() {
      let image = try await other.image(for: ImageRequest(url: url, cachePolicy: .cacheOnly))
      #expect(image.bitmap.withUnsafeBytes { $0[0] } == UInt8(index))
    }
  }

  @Test("a device that does not answer does not keep a pipeline from ending, and that is counted")
  func stalledDevice() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .resource(try Samples.png()))
    let files = FaultyFileSystem(PowerLossFileSystem())
    let gate = Gate()
    files.hold(.synchronize, at: gate)
    defer { gate.open() }
    let folder = URL(filePath: "/cache", directoryHint: .isDirectory)
    let pipeline = pipeline(disk: DiskCache(.init(folder: folder), fileSystem: files))
    _ = try await pipeline.image(
      for: ImageRequest(url: server.url("/a.png"), thumbnail: .fit(width: 4, height: 4)))
    await pipeline.flush()
    let end = Task { await pipeline.shutDown(within: .seconds(30)) }
    try await files.waitForCalls(.synchronize)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    await end.value
    #expect(await pipeline.isAtRest)
    #expect(pipeline.statistics.cacheErrors == 1)
  }

  @Test("several may shut down at once: the shortest limit counts, and all return")
  func concurrently() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .hang)
    let pipeline = pipeline()
    let running = Task { try await pipeline.image(for: server.url("/a.png")) }
    try await server.waitForRequests("/a.png")
    let ends = (1...5).map { index in Task { await pipeline.shutDown(within: .seconds(10 * index)) } }
    try await clock.waitForSleepers(5)
    clock.advance(by: .seconds(10))
    for end in ends { await end.value }
    await #expect(throws: PipelineError.shutDown) { try await running.value }
    await pipeline.shutDown(within: .seconds(30))
    #expect(await pipeline.isAtRest)
  }

  @Test("cancelling who shuts down does not shorten it; invalidating does")
  func cancelled() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .hang)
    let pipeline = pipeline()
    let ended = Lock(false)
    let running = Task {
      defer { ended.withLock { $0 = true } }
      return try await pipeline.image(for: server.url("/a.png"))
    }
    try await server.waitForRequests("/a.png")
    let end = Task { await pipeline.shutDown(within: .seconds(30)) }
    end.cancel()
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(29))
    #expect(!ended.withLock { $0 })
    await pipeline.invalidate()
    await end.value
    await #expect(throws: PipelineError.shutDown) { try await running.value }
    #expect(await pipeline.isAtRest)
  }

  @Test("who holds events without looking at them keeps nothing open, and finds their ending later")
  func idleEvents() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .body(try Samples.png()))
    let pipeline = pipeline()
    var events = pipeline.load(ImageRequest(url: server.url("/a.png"))).events.makeAsyncIterator()
    guard case .queued = try await events.next() else {
      Issue.record("the image was there already")
      return
    }
    // The clock stands still: this returns because nothing is left to be done.
    await pipeline.shutDown(within: .seconds(30))
    #expect(await pipeline.isAtRest)
    var last: ImageLoad.Event?
    while let event = try await events.next() { last = event }
    guard case .response(let response) = last else {
      Issue.record("no response at the end")
      return
    }
    #expect(response.image.width == 8)
  }

  @Test("an image in memory is refused too, though it can be looked up")
  func memory() async throws {
    let pipeline = pipeline()
    let request = ImageRequest(source: .data(try Samples.png(), id: "a"))
    _ = try await pipeline.image(for: request)
    await pipeline.invalidate()
    await #expect(throws: PipelineError.shutDown) { try await pipeline.image(for: request) }
    await #expect(throws: PipelineError.shutDown) { try await pipeline.response(for: request) }
    await #expect(throws: PipelineError.shutDown) { for try await _ in pipeline.load(request).events {} }
    #expect(pipeline.cachedImage(for: request) != nil)
    await pipeline.shutDown(within: .zero)
    #expect(await pipeline.isAtRest)
  }

  @Test("100 rounds of requests against an end amid them: an image or the error, once each, and nothing left")
  func storm() async throws {
    let png = try Samples.png()
    for round in 0..<100 {
      let pipeline = ImagePipeline.isolated()
      let tasks = (0..<20).map { index in
        Task {
          let request = ImageRequest(
            source: .data(png, id: "\(index % 5)"), thumbnail: .fit(width: 1 + index % 4, height: 8))
          return try await pipeline.image(for: request)
        }
      }
      let ends = [
        Task { await pipeline.shutDown(within: round.isMultiple(of: 2) ? .zero : .seconds(30)) },
        Task { if round.isMultiple(of: 3) { await pipeline.invalidate() } },
      ]
      for task in tasks {
        if case .failure(let error) = await task.result { #expect(error as? PipelineError == .shutDown) }
      }
      for end in ends { await end.value }
      #expect(await pipeline.isAtRest)
    }
  }
}
