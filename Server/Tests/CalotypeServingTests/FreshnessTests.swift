import CalotypeAdmission
import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeResults
import CalotypeSettings
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import CalotypeServing

/// Purges, and results whose source or settings change.
@Suite("Freshness", .timeLimit(.minutes(1)))
struct FreshnessTests {
  private static let path = "/unsafe/rs:fit:40:40/plain/http://images.example/a.png"
  private static let token: HTTPFields = [.authorization: "Bearer token"]

  private func purge(_ server: ImageServer, _ query: String) async {
    #expect(await server.response(to: .post, "/purge?" + query, Self.token).status == .ok)
  }

  @Test func confirmedResultsHaveTheFieldsOfTheLastResponse() async throws {
    let (origin, now) = (TestOrigin(), TestTime())
    origin.state.withLock { $0.age = 0 }
    let server = try await origin.server(now: now) {
      $0.httpCache.passesCacheControl = true
      $0.httpCache.staleWhileRevalidate = .zero
    }
    _ = await server.response(Self.path)
    now.advance(Date.now.timeIntervalSince(now.date) + 10)
    origin.state.withLock {
      $0.fields = [.cacheControl: "max-age=7", .lastModified: "Wed, 25 Nov 2026 22:26:42 GMT"]
    }
    let second = await server.response(Self.path)
    #expect(second.fields[.cacheControl]?.contains("max-age=7") == true)
    #expect(second.fields[.lastModified] == "Wed, 25 Nov 2026 22:26:42 GMT")
    #expect(server.metrics.snapshot.counters[.encodes] == 1)
  }

  @Test func resultsThatMayNoLongerBeStoredAreRemoved() async throws {
    let (origin, now) = (TestOrigin(), TestTime())
    origin.state.withLock { $0.age = 0 }
    let server = try await origin.server(now: now) { $0.httpCache.staleWhileRevalidate = .seconds(1000) }
    _ = await server.response(Self.path)
    now.advance(Date.now.timeIntervalSince(now.date) + 10)
    origin.state.withLock { $0.fields = [.cacheControl: "no-store"] }
    _ = await server.response(Self.path)
    try await until { server.parts.store.memoryStatistics.count == 0 }
  }

  /// A request that follows a purge gets nothing from before it: neither work in progress, nor transfers, nor originals on disk.
  @Test(arguments: ["tag=cats", "source=http://images.example/a.png", "prefix=http://images", "all=1"])
  func purgesReachWorkInProgress(_ query: String) async throws {
    let folder = URL.temporaryDirectory.appending(path: "calotype-\(UInt64.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    let origin = TestOrigin()
    let server = try await origin.server {
      $0.server.secrets = [Secret("token")]
      $0.cache.directory = folder.path()
      $0.cache.sourceBytes = 1 << 20
    }
    let path = "/unsafe/ct:cats/w:20/plain/http://images.example/a.png"
    origin.state.withLock { $0.isHeld = true }
    async let first = server.response(path, Self.token)
    try await until { origin.loads == 1 }
    await purge(server, query)
    origin.state.withLock { $0.color = 200 }
    async let second = server.response(path, Self.token)
    async let third = server.response("/unsafe/ct:cats/w:21/plain/http://images.example/a.png", Self.token)
    try await until { origin.loads == 2 }
    origin.state.withLock { $0.isHeld = false }
    let (before, after) = (await first.data, await second.data)
    _ = await third
    #expect(before != after)
    // What was stored is of after the purge, and its source is asked for no more.
    #expect(await server.response(path, Self.token).data == after)
    _ = await server.response("/unsafe/ct:cats/w:22/plain/http://images.example/a.png", Self.token)
    #expect(origin.loads == 2)
    await purge(server, query)
    origin.state.withLock { $0.color = 90 }
    let last = await server.response(path, Self.token).data
    #expect(last != after && last != before)
    #expect(origin.loads == 3)
  }

  @Test func everyTagOfARequestFindsItsResult() async throws {
    let origin = TestOrigin()
    let server = try await origin.server { $0.server.secrets = [Secret("token")] }
    let path = "/unsafe/ct:dogs/w:20/plain/http://images.example/a.png"
    _ = await server.response("/unsafe/ct:cats/w:20/plain/http://images.example/a.png", Self.token)
    _ = await server.response(path, Self.token)
    origin.state.withLock { $0.color = 99 }
    let before = await server.response(path, Self.token).data
    await purge(server, "tag=dogs")
    #expect(await server.response(path, Self.token).data != before)
  }

  @Test func aChangedBusterChangesTagsAtOnce() async throws {
    let server = try await TestOrigin().server()
    let first = await server.response(Self.path)
    var settings = server.rules.settings
    settings.httpCache.etagBuster = "2"
    try server.reload(settings)
    let second = await server.response(Self.path)
    #expect(first.fields[.eTag] != nil && second.fields[.eTag] != first.fields[.eTag])
    let again = await server.response(Self.path, [.ifNoneMatch: second.fields[.eTag] ?? ""])
    #expect(again.status == .notModified)
    #expect(server.metrics.snapshot.counters[.encodes] == 1)
  }

  @Test func fallbacksCoverSourcesThatAreNoImages() async throws {
    let origin = TestOrigin()
    origin.state.withLock { $0.body = Data("no image".utf8) }
    let bitmap = try Bitmap(rgb: [UInt8](repeating: 9, count: 300), width: 10, height: 10)
    let data = try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: .png)
    for covers in [false, true] {
      let server = try await origin.server {
        $0.fallback.data = data.base64EncodedString()
        $0.fallback.coversUndecodable = covers
      }
      let response = await server.response(Self.path)
      #expect(response.status.code == (covers ? 200 : 422))
      #expect(response.fields[.fallback] == (covers ? "1" : nil))
    }
  }

  /// A request must not be refused because the time of another one is over.
  @Test func joinersOutliveTheTimeOfTheFirst() async throws {
    let server = try await TestOrigin().server { $0.concurrency.workers = 1 }
    let job = AdmissionJob(
      cost: AdmissionCost(milliseconds: 1, byteCount: 1), source: "test", deadline: .seconds(600))
    let ticket = try await server.parts.admission.admit(job)
    var settings = server.rules.settings
    settings.server.timeout = .milliseconds(300)
    try server.reload(settings)
    async let first = server.response(Self.path)
    try await until { server.work.statistics.started == 1 }
    settings.server.timeout = .seconds(600)
    try server.reload(settings)
    async let second = server.response(Self.path)
    // On a busy machine, the time of the first may be over before.
    try await until { server.work.statistics.joined >= 1 || server.work.statistics.started >= 2 }
    #expect(await first.status == .serviceUnavailable)
    try await until { server.work.statistics.started >= 2 && server.parts.admission.statistics.waiting == 1 }
    ticket.finish()
    #expect(await second.status == .ok)
  }

  /// Under overload, sources are not even loaded; results in memory are still sent.
  @Test func overloadIsRefusedBeforeTheSourceIsLoaded() async throws {
    let origin = TestOrigin()
    let server = try await origin.server {
      $0.concurrency.workers = 1
      $0.concurrency.queueTime = .seconds(14)
    }
    #expect(await server.response("/unsafe/w:30/plain/http://images.example/a.png").status == .ok)
    let job = AdmissionJob(
      cost: AdmissionCost(milliseconds: 1000, byteCount: 1), source: "images.example", deadline: .seconds(600)
    )
    let admission = server.parts.admission
    let ticket = try await admission.admit(job)
    let waiting = Task {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<10 { group.addTask { (try? await admission.admit(job))?.finish() } }
      }
    }
    try await until { admission.statistics.waiting == 10 }
    let refused = await server.response(Self.path)
    #expect(refused.status == .serviceUnavailable && refused.fields[.retryAfter] != nil)
    #expect(origin.loads == 1)
    #expect(await server.response("/unsafe/w:30/plain/http://images.example/a.png").status == .ok)
    ticket.finish()
    await waiting.value
    #expect(await server.response(Self.path).status == .ok)
  }

  @Test func clientsThatKnowTheVersionOfTheOriginGetNoImage() async throws {
    let origin = TestOrigin()
    let server = try await origin.server { $0.compatibility.passesOriginETag = true }
    let reply = await server.response(Self.path, [.ifNoneMatch: "\"10\""])
    #expect(reply.status == .notModified && reply.fields[.eTag] == "\"10\"")
    #expect(server.metrics.snapshot.counters[.encodes] == nil)
    #expect(await server.response(Self.path, [.ifNoneMatch: "\"11\""]).status == .ok)
  }

  @Test func waitsForATransferAreNoFaultOfTheSource() throws {
    let url = try #require(URL(string: "http://images.example/"))
    let queue = Failure(LoadingError.timedOut(url, phase: .queue, after: .seconds(5)))
    #expect(queue.reason == .overloaded)
    #expect(Failure(LoadingError.timedOut(url, phase: .idle, after: .seconds(5))).reason == .sourceTimeout)
  }
}
