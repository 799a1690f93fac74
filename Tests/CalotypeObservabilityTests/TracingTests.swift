import CalotypeObservability
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing
import Tracing

@testable import Calotype

/// Spans of requests and stages: each ends once, and belongs to the request that began the work.
@Suite("Tracing", .timeLimit(.minutes(5)))
struct TracingTests {
  private let tracer = RecordingTracer()

  private func pipeline() -> ImagePipeline {
    var configuration = ImagePipeline.Configuration(loader: Samples.loader, diskCache: nil)
    configuration.memoryCache = MemoryCache(byteLimit: 1 << 20)
    configuration.tracer = DistributedTracing(tracer)
    return ImagePipeline(configuration)
  }

  @Test("the spans of the stages are within that of the request, and that within the caller's")
  func tree() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .body(try Samples.png()))
    let pipeline = pipeline()
    let url = try #require(URL(string: server.url("/a.png").absoluteString + "?key=secret"))
    _ = try await tracer.withSpan("caller") { _ in try await pipeline.image(for: url) }
    await pipeline.settle()
    let request = try #require(tracer.spans("calotype.request").first)
    #expect(request.parent?.name == "caller")
    for name in ["calotype.load", "calotype.wait", "calotype.decode"] {
      let spans = tracer.spans(name)
      #expect(!spans.isEmpty)
      for span in spans { #expect(span.parent === request) }
    }
    #expect(request.text("calotype.source") == "loader")
    for span in tracer.spans where span.name != "caller" {
      #expect(span.text("url.path") == "/a.png")
      #expect(span.text("server.address") == "127.0.0.1")
      #expect(!span.allTexts.contains { $0.contains("secret") })
    }
    #expect(tracer.spans.allSatisfy { $0.ends == 1 })
  }

  @Test("an image from memory is a span of its own, without stages")
  func memory() async throws {
    let pipeline = pipeline()
    let request = ImageRequest(source: .data(try Samples.png(), id: "a"))
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    let before = tracer.spans.count
    _ = try await pipeline.image(for: request)
    #expect(tracer.spans.dropFirst(before).map(\.name) == ["calotype.request"])
    #expect(tracer.spans.last?.text("calotype.source") == "memory")
  }

  @Test("a failure is in the status of the load and of the request, as a code")
  func failure() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .status(404))
    let pipeline = pipeline()
    let url = server.url("/a.png")
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: url) }
    await pipeline.settle()
    #expect(tracer.spans("calotype.request").map(\.error) == ["httpStatus"])
    #expect(tracer.spans("calotype.load").map(\.error) == ["httpStatus"])
    #expect(tracer.spans.allSatisfy { $0.ends == 1 })
  }

  @Test("cancelled requests and the stages that end with them: each span ends once, and is no error")
  func cancelled() async throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.png", .hang)
    let pipeline = pipeline()
    let request = ImageRequest(url: server.url("/a.png"))
    let image = Task { try await pipeline.image(for: request) }
    let events = Task { for try await _ in pipeline.load(request).events {} }
    try await server.waitForRequests("/a.png")
    try await eventually { await pipeline.subscribers >= 2 }
    image.cancel()
    events.cancel()
    _ = await (image.result, events.result)
    try await server.waitForDisconnects("/a.png")
    await pipeline.settle()
    #expect(tracer.spans("calotype.request").count == 2)
    #expect(tracer.spans("calotype.load").count == 1)
    for span in tracer.spans {
      #expect(span.ends == 1, "\(span.name)")
      #expect(span.error == nil)
      #expect(span.text("calotype.outcome") == "cancelled")
    }
  }

  @Test("the stages of an image that two wait for are in the trace of the first one")
  func shared() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.png", .gated([(gate, try Samples.png())]))
    let pipeline = pipeline()
    let url = server.url("/a.png")
    let first = Task { try await pipeline.image(for: url) }
    try await server.waitForRequests("/a.png")
    let second = Task { try await pipeline.image(for: url) }
    try await eventually { await pipeline.subscribers >= 2 }
    gate.open()
    _ = try await (first.value, second.value)
    await pipeline.settle()
    let requests = tracer.spans("calotype.request")
    #expect(requests.count == 2)
    #expect(tracer.spans("calotype.load").count == 1)
    #expect(tracer.spans("calotype.load").first?.parent === requests.first)
    #expect(tracer.spans("calotype.decode").first?.parent === requests.first)
    #expect(tracer.spans.allSatisfy { $0.ends == 1 })
  }
}
