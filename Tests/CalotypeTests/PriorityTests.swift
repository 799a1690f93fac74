import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// What is wanted sooner goes first, whoever asked for it first.
@Suite("Priorities", .timeLimit(.minutes(5)))
struct PriorityTests {
  @Test("a joiner who wants it sooner raises the transfer that waits")
  func joinersRaise() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    let png = try Samples.png()
    server.route("/first", .gated([(gate, png)]))
    for path in ["/a", "/b", "/wanted"] { server.route(path, .body(png)) }
    let loader = CurlLoader(.init(maxConcurrent: 1))
    let pipeline = ImagePipeline.isolated(loader: loader)
    func start(_ path: String, _ priority: ImageRequest.Priority) -> Task<Image, any Error> {
      let request = ImageRequest(url: server.url(path), priority: priority)
      return Task { try await pipeline.image(for: request) }
    }
    var tasks = [start("/first", .normal)]
    try await server.waitForRequests("/first")
    for path in ["/a", "/b"] {
      let queued = loader.statistics.queued
      tasks.append(start(path, .normal))
      while loader.statistics.queued == queued { await loader.settle() }
    }
    tasks.append(start("/wanted", .low))
    while loader.statistics.queued < 3 { await loader.settle() }
    // Another size of the same image: another job for the pixels, the same for the bytes.
    let thumbnail = ImageRequest(
      url: server.url("/wanted"), thumbnail: .fit(width: 4, height: 4), priority: .high)
    let joiner = Task { try await pipeline.image(for: thumbnail) }
    try await eventually { await pipeline.sourceSubscribers >= 5 }
    await loader.settle()
    gate.open()
    for task in tasks { _ = try await task.value }
    #expect(try await joiner.value.width == 4)
    #expect(server.requests.map(\.path) == ["/first", "/wanted", "/a", "/b"])
    await pipeline.settle()
  }
}

extension ImagePipeline {
  /// Places in the jobs that fetch originals.
  fileprivate var sourceSubscribers: Int { jobs.originals.all.reduce(0) { $0 + $1.subscriberCount } }
}
