import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Observers hear of everything that begins, and once of its end.
@Suite("Observing", .timeLimit(.minutes(5)))
struct ObservingTests {
  private let observer = RecordingObserver()

  private func pipeline(disk: DiskCache? = nil, loader: any ImageLoading = Samples.loader) -> ImagePipeline {
    var configuration = ImagePipeline.Configuration(loader: loader, diskCache: disk)
    configuration.memoryCache = MemoryCache(byteLimit: 1 << 20)
    configuration.observers = [observer]
    return ImagePipeline(configuration)
  }

  @Test("each kind of request is told of, found in memory or loaded")
  func kinds() async throws {
    let pipeline = pipeline()
    let request = ImageRequest(source: .data(try Samples.png(), id: "a"))
    _ = try await pipeline.image(for: request)
    _ = try await pipeline.image(for: request)
    _ = try await pipeline.response(for: request)
    _ = try await pipeline.data(for: request)
    for try await _ in pipeline.load(request).events {}
    #expect(
      observer.outcomes == [
        "image: loader", "image: memory", "response: memory", "data: loader", "events: memory",
      ])
    await pipeline.settle()
    #expect(observer.isBalanced)
  }

  @Test("nobody hears of a look into memory, nor of events that nobody iterates over")
  func silence() async throws {
    let pipeline = pipeline()
    let request = ImageRequest(source: .data(try Samples.png(), id: "a"))
    #expect(pipeline.cachedImage(for: request) == nil)
    _ = pipeline.load(request).events
    #expect(observer.notes.isEmpty)
  }

  @Test("the stages of a job, with the bytes that were loaded and read")
  func stages() async throws {
    let folder = try CacheFolder()
    let server = try ScriptedHTTPServer()
    let png = try Samples.png()
    server.route("/a.png", .resource(png))
    let first = pipeline(disk: folder.diskCache())
    let request = ImageRequest(url: server.url("/a.png"), thumbnail: .fit(width: 4, height: 4))
    _ = try await first.image(for: request)
    await first.settle()
    var stages: [ImagePipeline.Stage: Int?] = [:]
    for case .stageFinished(let stage, let result) in observer.notes {
      #expect(result.error == nil)
      #expect(stage.request.source == request.source)
      stages[stage.stage] = result.byteCount
    }
    #expect(Set(stages.keys) == [.read, .load, .wait, .decode, .encode, .store])
    #expect(stages[.load] == png.count)
    #expect(observer.isBalanced)
  }

  @Test("a failure is told with its error, of the stage and of the request")
  func failure() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .status(404))
    let pipeline = pipeline()
    let url = server.url("/a.png")
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: url) }
    await pipeline.settle()
    #expect(observer.outcomes == ["image: httpStatus"])
    let failed = observer.notes.compactMap { note -> String? in
      guard case .stageFinished(let stage, let result) = note, let error = result.error else { return nil }
      return "\(stage.stage): \(error.knownCode)"
    }
    #expect(failed == ["load: httpStatus"])
    #expect(observer.isBalanced)
  }

  @Test("a cancelled caller is told as cancelled, at once, and the others as what they get")
  func cancelled() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.png", .gated([(gate, try Samples.png())]))
    let pipeline = pipeline()
    let url = server.url("/a.png")
    let stays = Task { try await pipeline.image(for: url) }
    try await server.waitForRequests("/a.png")
    let leaves = Task { try await pipeline.response(for: ImageRequest(url: url)) }
    leaves.cancel()
    await #expect(throws: CancellationError.self) { try await leaves.value }
    #expect(observer.outcomes == ["response: cancelled"])
    gate.open()
    _ = try await stays.value
    await pipeline.settle()
    #expect(observer.outcomes == ["response: cancelled", "image: loader"])
    #expect(observer.isBalanced)
  }

  @Test("events are one request, however many iterate; it is cancelled when it is released")
  func events() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .hang)
    let pipeline = pipeline()
    var load: ImageLoad? = pipeline.load(ImageRequest(url: server.url("/a.png")))
    let tasks = (0..<10).map { [load] _ in Task { if let load { for try await _ in load.events {} } } }
    try await server.waitForRequests("/a.png")
    try await eventually { await pipeline.subscribers >= 10 }
    for task in tasks.dropLast() { task.cancel() }
    for task in tasks.dropLast() { _ = await task.result }
    #expect(observer.outcomes.isEmpty)
    tasks.last?.cancel()
    _ = await tasks.last?.result
    try await server.waitForDisconnects("/a.png")
    #expect(observer.outcomes.isEmpty)
    load = nil
    await pipeline.settle()
    #expect(observer.outcomes == ["events: cancelled"])
    #expect(observer.isBalanced)
  }

  @Test("200 rounds of ten that begin to iterate at once: begun, then ended, once each")
  func raceOfBeginnings() async throws {
    let pipeline = pipeline()
    let request = ImageRequest(source: .data(try Samples.png(), id: "a"))
    _ = try await pipeline.image(for: request)
    for _ in 0..<200 {
      let events = pipeline.load(request).events
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<10 { group.addTask { do { for try await _ in events {} } catch {} } }
      }
    }
    #expect(observer.outcomes.count == 201)
    #expect(observer.isBalanced)
  }

  @Test("observers are called in their order")
  func order() async throws {
    let order = Lock([Int]())
    struct Numbered: PipelineObserving {
      let number: Int
      let order: @Sendable (Int) -> Void
      func requestStarted(_ request: ImagePipeline.ObservedRequest) { order(number) }
    }
    var configuration = ImagePipeline.Configuration(
      loader: LoaderGroup.standard, memoryCache: nil, diskCache: nil)
    configuration.observers = (0..<3).map { number in
      Numbered(number: number) { number in order.withLock { $0.append(number) } }
    }
    let pipeline = ImagePipeline(configuration)
    _ = try await pipeline.image(for: ImageRequest(source: .data(try Samples.png(), id: "a")))
    #expect(order.withLock { $0 } == [0, 1, 2])
  }

  @Test("a sample holds what there is in the caches")
  func sample() async throws {
    let folder = try CacheFolder()
    let pipeline = pipeline(disk: folder.diskCache())
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .resource(try Samples.png()))
    _ = try await pipeline.image(for: server.url("/a.png"))
    await pipeline.settle()
    let sample = await pipeline.sample()
    #expect(sample.statistics.loads == 1)
    #expect(sample.memory?.count == 1)
    #expect(sample.diskBytes ?? 0 > 0)
    #expect(observer.samples == [sample])
  }
}
