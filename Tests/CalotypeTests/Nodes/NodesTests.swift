import ByteCache
import CalotypeCaching
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Pipelines that share a cache, coordination and a log of purges, as those of several nodes do.
@Suite("Nodes", .timeLimit(.minutes(2)))
struct NodesTests {
  private let server: ScriptedHTTPServer
  private let shared = ByteCache(byteLimit: 64 << 20)
  private let flights = FakeFlights()
  private let log = FakePurgeLog.Shared()
  private let shade = Shade()

  init() throws {
    server = try ScriptedHTTPServer()
    let shade = shade
    server.route("/a.png") { request in
      let value = shade.value
      guard let data = try? Samples.png(width: 64, height: 64, shade: value) else { return .status(500) }
      return .resource(data, etag: "\"\(value)\"", for: request, headers: [("Cache-Control", "max-age=100")])
    }
  }

  /// A node with a memory of its own.
  private func node(
    coordinates: Bool = true, _ log: FakePurgeLog? = nil, loader: any ImageLoading = Samples.loader,
    sharesOriginals: (@Sendable () -> Bool)? = nil
  ) -> ImagePipeline {
    var configuration = ImagePipeline.Configuration(
      loader: loader, memoryCache: MemoryCache(byteLimit: 16 << 20), diskCache: shared)
    configuration.nodes = .init(
      flights: coordinates ? flights : nil, purges: log, sharesOriginals: sharesOriginals)
    return ImagePipeline(configuration)
  }

  private var request: ImageRequest {
    ImageRequest(url: server.url("/a.png"), thumbnail: .fit(width: 32, height: 32))
  }

  private var count: Int { server.requests(for: "/a.png").count }

  private func shade(_ image: Image) -> UInt8 { image.bitmap.withUnsafeBytes { $0[0] } }

  @Test("equal requests at several nodes: one load, one encode", arguments: [true, false])
  func together(coordinates: Bool) async throws {
    let gate = Gate()
    let data = try Samples.png(width: 64, height: 64)
    server.route("/a.png", .gated([(gate, data)], headers: [("Cache-Control", "max-age=100")]))
    let nodes = (0..<3).map { _ in node(coordinates: coordinates) }
    let calls = nodes.flatMap { node in
      (0..<10).map { _ in
        Task { [request] in try await node.encoded(request, as: .webp(quality: 80)).data }
      }
    }
    // All nodes have asked, or wait.
    try await eventually { coordinates ? flights.waiting == 2 : count == 3 }
    gate.open()
    var images: Set<Data> = []
    for call in calls { images.insert(try await call.value) }
    #expect(images.count == 1)
    for node in nodes { await node.settle() }
    #expect(count == (coordinates ? 1 : 3))
    let encodes = nodes.map { $0.statistics.encodes }.reduce(0, +)
    #expect(encodes == (coordinates ? 1 : 3))
    // The image and its original.
    #expect(flights.leads == (coordinates ? 2 : 0))
  }

  @Test(
    "an image that is gone is asked for once, and a failure is not repeated by those who wait",
    arguments: [404, 500])
  func failures(status: Int) async throws {
    let gate = Gate()
    server.route("/a.png", ScriptedReply([.wait(gate), .head(status, [("Content-Length", "0")])]))
    let nodes = (0..<3).map { _ in node() }
    let calls = nodes.map { node in Task { [request] in try await node.image(for: request) } }
    try await eventually { flights.waiting == 2 }
    gate.open()
    var statuses: [Int?] = []
    for call in calls {
      await #expect { try await call.value } throws: { error in
        switch error as? LoadingError {
        case .httpStatus(_, let status, _, _): statuses.append(status)
        case .recentlyFailed(_, "httpStatus", _): statuses.append(nil)
        default: return false
        }
        return true
      }
    }
    #expect(count == 1)
    #expect(statuses.filter { $0 == status }.count == (status == 404 ? 3 : 1))
    for node in nodes { await node.settle() }
  }

  @Test(
    "while the shared cache does not answer, originals are loaded without leases", arguments: [false, true])
  func cacheAway(isAnswering: Bool) async throws {
    let gate = Gate()
    let data = try Samples.png(width: 64, height: 64)
    server.route("/a.png", .gated([(gate, data)], headers: [("Cache-Control", "max-age=100")]))
    let nodes = (0..<3).map { _ in node(sharesOriginals: { isAnswering }) }
    let calls = nodes.map { node in Task { [request] in try await node.image(for: request) } }
    try await eventually { isAnswering ? flights.waiting == 2 : count == 3 }
    #expect(flights.leads == (isAnswering ? 1 : 0))
    gate.open()
    for call in calls { #expect(try await call.value.width == 32) }
    for node in nodes { await node.settle() }
    #expect(count == (isAnswering ? 1 : 3))
    #expect(flights.outcomes.count == (isAnswering ? 1 : 0))
  }

  @Test("records of results say how long they took to make, also after their original was confirmed")
  func costs() async throws {
    let node = node(FakePurgeLog(log))
    _ = try await node.encoded(request, as: .webp(quality: 80))
    await node.settle()
    let key = request.encodedKey(as: .webp(quality: 80))
    let cost = try #require(await shared.read(key)?.metadata.cost)
    #expect(cost > .zero && cost < .seconds(60))
    #expect(await shared.read(request.sourceKey)?.metadata.cost == nil)
    try await node.cache.purge(.host("127.0.0.1"))
    _ = try await node.encoded(request, as: .webp(quality: 80))
    await node.settle()
    #expect(count == 2)
    let confirmed = await shared.read(key)?.metadata
    #expect(confirmed?.position == 1 && confirmed?.cost == cost)
    #expect(node.statistics.encodes == 1)
  }

  @Test("a leader that is cancelled leaves the work to another node")
  func cancelledLeader() async throws {
    let gate = Gate()
    let data = try Samples.png(width: 64, height: 64)
    server.route("/a.png", .gated([(gate, data)]))
    let nodes = (0..<2).map { _ in node() }
    let first = Task { [request] in try await nodes[0].image(for: request) }
    try await eventually { count == 1 }
    let second = Task { [request] in try await nodes[1].image(for: request) }
    try await eventually { flights.waiting == 1 }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    gate.open()
    #expect(try await second.value.width == 32)
    #expect(count == 2)
    for node in nodes { await node.settle() }
  }

  @Test("requests of users, and those that reload, are for themselves")
  func alone() async throws {
    let node = node()
    var own = request
    own.headers[.authorization] = "Bearer a"
    _ = try await node.image(for: own)
    var again = request
    again.cachePolicy = .reload
    _ = try await node.image(for: again)
    #expect(flights.leads == 0)
    _ = try await node.image(for: request)
    #expect(count >= 2)
    await node.settle()
  }

  @Test("purged at one node, gone at all: memory, shared cache, and work in progress")
  func gone() async throws {
    let logs = (FakePurgeLog(log), FakePurgeLog(log))
    let (a, b) = (node(logs.0), node(logs.1))
    for node in [a, b] {
      #expect(shade(try await node.image(for: request)) == 1)
      await node.settle()
    }
    #expect(count == 1)
    shade.value = 2
    try await a.cache.purge(.url(server.url("/a.png")), mode: .gone)
    #expect(shade(try await a.image(for: request)) == 2)
    await a.settle()
    #expect(count == 2)
    // The other node has not heard of it yet.
    #expect(shade(try await b.image(for: request)) == 1)
    logs.1.catchUp()
    #expect(shade(try await b.image(for: request)) == 2)
    #expect(count == 2)
    await b.settle()
  }

  @Test("a node that slept takes the new image from the shared cache, past its own disk")
  func slept() async throws {
    let logs = (FakePurgeLog(log), FakePurgeLog(log))
    let request = ImageRequest(url: server.url("/a.png"))
    func node(_ log: FakePurgeLog, _ disk: ByteCache) -> ImagePipeline {
      var configuration = ImagePipeline.Configuration(
        loader: Samples.loader, memoryCache: nil,
        diskCache: CacheGroup([disk, shared], policies: .init(store: .concurrent)))
      configuration.nodes = .init(purges: log)
      return ImagePipeline(configuration)
    }
    let disk = ByteCache(byteLimit: 1 << 20)
    let (a, b) = (node(logs.0, ByteCache(byteLimit: 1 << 20)), node(logs.1, disk))
    for node in [a, b] {
      _ = try await node.image(for: request)
      await node.settle()
    }
    #expect(await disk.read(request.sourceKey) != nil)
    shade.value = 2
    try await a.cache.purge(.url(server.url("/a.png")), mode: .gone)
    _ = try await a.image(for: request)
    await a.settle()
    #expect(count == 2)
    logs.1.catchUp()
    #expect(shade(try await b.image(for: request)) == 2)
    await b.settle()
    #expect(count == 2)
    #expect(await disk.read(request.sourceKey)?.metadata.position == 1)
  }

  @Test("a soft purge serves the old image once more, and nobody waits")
  func stale() async throws {
    let own = FakePurgeLog(log)
    let node = node(own)
    let encoded = request
    #expect(try await !node.encoded(encoded, as: .png).isStale)
    await node.settle()
    shade.value = 2
    let gate = Gate()
    let data = try Samples.png(width: 64, height: 64, shade: 2)
    server.route("/a.png", .gated([(gate, data)], headers: [("Cache-Control", "max-age=100")]))
    try await node.cache.purge(.host("127.0.0.1"))
    // The server does not answer yet.
    let old = try await node.encoded(encoded, as: .png)
    #expect(old.isStale)
    gate.open()
    await node.settle()
    #expect(count == 2)
    let new = try await node.encoded(encoded, as: .png)
    #expect(!new.isStale && new.data != old.data)
    #expect(count == 2)
    await node.settle()
  }

  @Test("an original that was requested before a purge is not stored after it")
  func straddling() async throws {
    let logs = (FakePurgeLog(log), FakePurgeLog(log))
    let (a, b) = (node(coordinates: false, logs.0), node(coordinates: false, logs.1))
    let gate = Gate()
    let data = try Samples.png(width: 64, height: 64)
    server.route("/a.png", .gated([(gate, data)], headers: [("Cache-Control", "max-age=100")]))
    let load = Task { [request] in try await a.image(for: request) }
    try await eventually { count == 1 }
    try await b.cache.purge(.url(server.url("/a.png")), mode: .gone)
    logs.0.catchUp()
    gate.open()
    _ = try await load.value
    await a.settle()
    #expect(await shared.read(request.sourceKey) == nil)
    // A node that has not heard of the purge stores the image, and those that have do not use it.
    #expect(try await a.image(for: request).width == 32)
    #expect(count == 2)
    await a.settle()
  }

  @Test("a purge that the log does not take is an error, and purges nothing")
  func unreachable() async throws {
    let own = FakePurgeLog(log)
    let node = node(own)
    _ = try await node.image(for: request)
    await node.settle()
    own.isBroken.withLock { $0 = true }
    await #expect(throws: CachingError.self) { try await node.cache.purge(.url(server.url("/a.png"))) }
    _ = try await node.image(for: request)
    #expect(count == 1)
    // Without a log, a purge removes.
    let single = self.node()
    try await single.cache.purge(.url(server.url("/a.png")))
    _ = try await single.image(for: request)
    #expect(count == 2)
    for node in [node, single] { await node.settle() }
  }

  @Test("while another node refreshes a stale image, it is served as it is")
  func busy() async throws {
    let own = FakePurgeLog(log)
    let node = node(own)
    _ = try await node.image(for: request)
    await node.settle()
    try await node.cache.purge(.url(server.url("/a.png")))
    guard case .lead(let lease) = await flights.begin(request.sourceKey, waits: false, timeout: nil) else {
      Issue.record("no lease")
      return
    }
    #expect(try await node.response(for: request).isStale)
    await node.settle()
    #expect(count == 1)
    await lease.end(.isPrivate)
  }
}
