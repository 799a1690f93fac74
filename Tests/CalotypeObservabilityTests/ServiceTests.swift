import CalotypeObservability
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Logging
import ServiceLifecycle
import PipelineSamples
import Testing

@testable import Calotype

/// A pipeline as a service among others.
@Suite("Service", .timeLimit(.minutes(5)))
struct ServiceTests {
  private let clock = TestClock()
  private let pressure = ManualMemoryPressure()
  private let observer = RecordingObserver()

  private func pipeline() -> ImagePipeline {
    var configuration = ImagePipeline.Configuration(loader: Samples.loader, diskCache: nil)
    configuration.memoryCache = MemoryCache(byteLimit: 1 << 20)
    configuration.memoryPressure = pressure
    configuration.clock = clock
    configuration.observers = [observer]
    return ImagePipeline(configuration)
  }

  private func waitForPressure(_ level: MemoryPressure.Level?, _ pipeline: ImagePipeline) async throws {
    try await eventually { pipeline.cache.memoryStatistics?.pressure == level }
  }

  @Test("the memory cache follows the pressure while the service runs; graceful shutdown lets a load finish")
  func gracefulShutdown() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.png", .gated([(gate, try Samples.png())]))
    let pipeline = pipeline()
    let cached = ImageRequest(source: .data(try Samples.png(), id: "a"))
    _ = try await pipeline.image(for: cached)
    let group = ServiceGroup(services: [pipeline], logger: Logger(label: "test"))
    let running = Task { try await group.run() }
    pressure.report(MemoryPressure(.critical))
    try await waitForPressure(.critical, pipeline)
    #expect(pipeline.cachedImage(for: cached) == nil)
    let image = Task { try await pipeline.image(for: server.url("/a.png")) }
    try await server.waitForRequests("/a.png")
    await group.triggerGracefulShutdown()
    try await waitForPressure(nil, pipeline)
    try await eventually { await pipeline.isClosing }
    await #expect(throws: PipelineError.shutDown) { try await pipeline.image(for: cached) }
    gate.open()
    #expect(try await image.value.width == 8)
    try await running.value
    #expect(await pipeline.isAtRest)
  }

  @Test("a cancelled service drains as well, until the deadline of the configuration")
  func cancelled() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .hang)
    let pipeline = pipeline()
    let running = Task { try await pipeline.run() }
    pressure.report(MemoryPressure(.warning))
    try await waitForPressure(.warning, pipeline)
    let image = Task { try await pipeline.image(for: server.url("/a.png")) }
    try await server.waitForRequests("/a.png")
    running.cancel()
    try await eventually { await pipeline.isClosing }
    try await clock.waitForSleepers()
    clock.advance(by: pipeline.configuration.drainDeadline)
    await #expect(throws: PipelineError.shutDown) { try await image.value }
    try await running.value
    #expect(await pipeline.isAtRest)
  }

  @Test("observers get a sample at once and then in every interval")
  func samples() async throws {
    let pipeline = pipeline()
    let running = Task { try await pipeline.run() }
    for count in 1...3 {
      try await clock.waitForSleepers()
      #expect(observer.samples.count == count)
      clock.advance(by: pipeline.configuration.sampleInterval)
      try await eventually { observer.samples.count != count }
    }
    running.cancel()
    try await running.value
  }
}

extension ImagePipeline {
  fileprivate var isClosing: Bool { jobs.isClosed }
}
