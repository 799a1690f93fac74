@testable import CalotypeObservability
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

@Suite("Metrics", .timeLimit(.minutes(5)))
struct MetricsObserverTests {
  private let metrics = RecordingMetrics()

  private func pipeline(decoding: DecodingIsolation = .inProcess) -> ImagePipeline {
    var configuration = ImagePipeline.Configuration(loader: Samples.loader, diskCache: nil)
    configuration.memoryCache = MemoryCache(byteLimit: 1 << 20)
    configuration.decoding = decoding
    configuration.observers = [MetricsObserver(prefix: "test", factory: metrics)]
    return ImagePipeline(configuration)
  }

  @Test("requests by source and outcome, stages, errors, and each loaded byte once")
  func counters() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    let png = try Samples.png()
    server.route("/a.png", .gated([(gate, png)]))
    server.route("/404", .status(404))
    let pipeline = pipeline()
    let url = server.url("/a.png")
    let tasks = (0..<3).map { _ in Task { try await pipeline.image(for: url) } }
    try await eventually { await pipeline.subscribers >= 3 }
    gate.open()
    for task in tasks { _ = try await task.value }
    _ = try await pipeline.image(for: url)
    await #expect(throws: LoadingError.self) { try await pipeline.image(for: server.url("/404")) }
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await pipeline.image(for: ImageRequest(url: url, thumbnail: .fit(width: 2, height: 2)))
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await pipeline.settle()
    #expect(metrics.sum("test_requests_total{source=loader,outcome=succeeded}") == 3)
    #expect(metrics.sum("test_requests_total{source=memory,outcome=succeeded}") == 1)
    #expect(metrics.sum("test_requests_total{source=none,outcome=failed}") == 1)
    #expect(metrics.sum("test_requests_total{source=none,outcome=cancelled}") == 1)
    #expect(metrics.sum("test_errors_total{code=httpStatus}") == 1)
    #expect(metrics.values("test_request_duration_seconds{source=loader,outcome=succeeded}").count == 3)
    #expect(metrics.values("test_stage_duration_seconds{stage=decode}").count >= 1)
    #expect(metrics.sum("test_loaded_bytes_total") == Int64(png.count))
  }

  @Test("the code of an error of others is no label")
  func bounded() throws {
    struct Odd: CalotypeError {
      let code: String
      let isRetryable = false
    }
    let observer = MetricsObserver(prefix: "test", factory: metrics)
    let request = ImageRequest(source: .data(Data(), id: "a"))
    for number in 0..<1000 {
      observer.requestFinished(
        ImagePipeline.ObservedRequest(id: number, kind: .image, request: request),
        outcome: .failed(Odd(code: "code \(number)")), duration: .zero)
    }
    #expect(metrics.sum("test_errors_total{code=other}") == 1000)
    #expect(metrics.series.count == 3)
  }

  @Test("gauges show a sample; what is not known is not shown")
  func gauges() async throws {
    let pipeline = pipeline()
    _ = try await pipeline.image(for: ImageRequest(source: .data(try Samples.png(), id: "a")))
    await pipeline.settle()
    let sample = await pipeline.sample()
    #expect(metrics.values("test_memory_cache_images") == [1])
    #expect(metrics.values("test_memory_cache_bytes") == [Int64(try #require(sample.memory).bytes)])
    #expect(metrics.values("test_image_jobs") == [0])
    #expect(metrics.values("test_decoded_bytes") == [0])
    #expect(!metrics.series.contains("test_disk_cache_bytes"))
    #expect(!metrics.series.contains("test_sandbox_workers"))
  }

  @Test("a pipeline with sandboxes shows their counters", .enabled(if: !Sanitizer.isOn))
  func sandboxGauges() async throws {
    let pipeline = pipeline(decoding: .sandboxed(workers: 1))
    _ = try await pipeline.image(for: ImageRequest(source: .data(try Samples.png(), id: "a")))
    _ = await pipeline.sample()
    #expect(metrics.values("test_sandbox_workers") == [1])
    #expect(metrics.values("test_sandbox_starts") == [1])
    #expect(metrics.values("test_sandbox_crashes") == [0])
  }
}
