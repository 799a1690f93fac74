import CalotypeSupport
import CalotypeTestKit
import CountedHashes
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

  @Test("the bytes of a cold request are hashed once")
  func hashOnce() async throws {
    // A JPEG with comments full of the mark, in which every piece of it can be told.
    let mark = withUnsafeBytes(of: counted_hashes_mark) { Data($0) }
    var comments = Data()
    for _ in 0..<30 {
      comments += [0xFF, 0xFE, 0xFF, 0xF2]
      for _ in 0..<4095 { comments += mark }
    }
    let photo = try Samples.photo("stream.jpg")
    let body = photo.prefix(2) + comments + photo.dropFirst(2)
    let server = try ScriptedHTTPServer()
    server.route("/a.jpg", .body(body, headers: [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")]))
    let folder = try CacheFolder()
    let disk = folder.diskCache()
    let pipeline = ImagePipeline(
      .init(loader: Samples.loader, memoryCache: MemoryCache(), diskCache: disk))
    let request = ImageRequest(url: server.url("/a.jpg"))
    let before = counted_hashes_bytes()
    _ = try await pipeline.image(for: request)
    await pipeline.settle()
    try await disk.flush()
    // All but the rest of the photo, if that should be hashed by itself.
    let hashed = Double(counted_hashes_bytes() - before) / Double(body.count)
    #expect(hashed > 0.9 && hashed < 1.1)
    #expect(try await disk.read(request.sourceKey)?.data == body)
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
