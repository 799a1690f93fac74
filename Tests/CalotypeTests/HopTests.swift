import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// How often a caller's task changes its thread on the way.
@Suite("Hops", .timeLimit(.minutes(5)))
struct HopTests {
  /// Counts the turns that a task takes here, and hands them on.
  private final class Counter: TaskExecutor {
    private let count = Lock(0)
    var turns: Int { count.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
      count.withLock { $0 += 1 }
      let job = UnownedJob(job)
      let executor = asUnownedTaskExecutor()
      Threads.start(name: "turn") { job.runSynchronously(on: executor) }
    }
  }

  private func turns(_ body: () async throws -> Void) async throws -> Int {
    let counter = Counter()
    return try await withTaskExecutorPreference(counter) {
      let before = counter.turns
      try await body()
      return counter.turns - before
    }
  }

  @Test("a cold request parses the header once; the checksum of its record is the version")
  func headerOnce() async throws {
    let decoder = CountingDecoder()
    let server = try ScriptedHTTPServer()
    server.route(
      "/a.jpg", .body(try Samples.photo("stream.jpg"), headers: [("Cache-Control", "max-age=60")]))
    let folder = try CacheFolder()
    let disk = folder.diskCache()
    var configuration = ImagePipeline.Configuration(
      loader: Samples.loader, memoryCache: MemoryCache(), diskCache: disk)
    configuration.coders.register(decoder)
    let pipeline = ImagePipeline(configuration)
    for (index, thumbnail) in [nil, Thumbnail.fit(width: 100)].enumerated() {
      _ = try await pipeline.image(for: ImageRequest(url: server.url("/a.jpg"), thumbnail: thumbnail))
      #expect(decoder.probes == index + 1 && decoder.decodes == index + 1)
      await pipeline.settle()
      pipeline.configuration.memoryCache?.removeAll()
    }
    let record = try #require(await disk.read(ImageRequest(url: server.url("/a.jpg")).sourceKey))
    #expect(record.metadata.version == Checksum(of: record.data))
    #expect(server.requests.count == 1)
  }

  @Test("an image in memory costs no hop; joining a job costs one in and one out")
  func hops() async throws {
    let server = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/a.png", .gated([(gate, try Samples.png())]))
    let pipeline = ImagePipeline.isolated()
    let request = ImageRequest(url: server.url("/a.png"))
    let first = Task { try await pipeline.image(for: request) }
    try await server.waitForRequests("/a.png")
    let opener = Task {
      try await eventually { await pipeline.subscribers >= 2 }
      gate.open()
    }
    let joining = try await turns { _ = try await pipeline.image(for: request) }
    // Into the actor, out of it to wait, and back with the image.
    #expect(joining <= 3)
    try await opener.value
    _ = try await first.value
    await pipeline.settle()
    let hit = ImageRequest(source: .data(try Samples.png(), id: "hit"))
    _ = try await pipeline.image(for: hit)
    for _ in 0..<10 {
      let turns = try await turns { _ = try await pipeline.image(for: hit) }
      #expect(turns == 0)
    }
    await pipeline.settle()
  }
}
