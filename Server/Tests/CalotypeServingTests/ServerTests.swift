import CalotypeCaching
import CalotypeAdmission
import CalotypeImaging
import CalotypeLoading
import CalotypeResults
import CalotypeSettings
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import CalotypeServing

/// A whole server without sockets, with an origin that counts.
@Suite("Server", .timeLimit(.minutes(1)))
struct ServerTests {
  private static let path = "/unsafe/rs:fit:40:40/plain/http://images.example/a.png"

  private func get(_ server: ImageServer, _ path: String = path, fields: HTTPFields = [:]) async
    -> ServedResponse
  { await server.response(to: .get, path, fields) }

  @Test func hitsAreReadyAtOnce() async throws {
    let origin = TestOrigin()
    let server = try await origin.server()
    let first = await get(server)
    #expect(first.status == .ok && first.fields[.contentType] == "image/png")
    let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: Self.path)
    guard case .ready(let again) = server.answer(to: request) else {
      Issue.record("a hit is not ready")
      return
    }
    #expect(again.data == first.data)
    #expect(origin.loads == 1)
  }

  @Test func equalRequestsShareAll() async throws {
    let origin = TestOrigin()
    let server = try await origin.server()
    let bodies = await withTaskGroup(of: Data.self) { group in
      for _ in 0..<100 { group.addTask { await get(server).data } }
      return await group.reduce(into: Set<Data>()) { $0.insert($1) }
    }
    #expect(bodies.count == 1 && bodies.first?.isEmpty == false)
    #expect(origin.loads == 1)
    #expect(server.metrics.snapshot.counters[.encodes] == 1)
  }

  /// A stale result is sent, and made anew behind the response; an unchanged source is not decoded again.
  @Test func staleResultsAreSentWhileTheirSourceIsAsked() async throws {
    let (origin, now) = (TestOrigin(), TestTime())
    let server = try await origin.server(now: now) { $0.httpCache.staleWhileRevalidate = .seconds(60) }
    origin.state.withLock { $0.age = 0 }
    let first = await get(server)
    // The pipeline judges freshness by its own clock, which is that of the machine.
    now.advance(Date.now.timeIntervalSince(now.date) + 10)
    let second = await get(server)
    #expect(second.data == first.data)
    try await until {
      server.metrics.snapshot.counters[.confirmations] == 1 && server.refreshes.withLock(\.isEmpty)
    }
    #expect(server.metrics.snapshot.counters[.encodes] == 1)
    origin.state.withLock { $0.color = 200 }
    #expect(await get(server).data == first.data)
    try await until { server.metrics.snapshot.counters[.encodes] == 2 }
    try await until { server.refreshes.withLock(\.isEmpty) }
    #expect(await get(server).data != first.data)
  }

  /// Animations count like all other images, and have the frames of the settings.
  @Test func animationsAreMadeAndCounted() async throws {
    let origin = TestOrigin()
    let bitmap = try Bitmap(rgb: [UInt8](repeating: 7, count: 80 * 60 * 3), width: 80, height: 60)
    let animation = AnimationSource(frameCount: 4, loopCount: 0) { _ in
      AnimationSource.Frame(bitmap: bitmap, duration: .milliseconds(50))
    }
    let data = try CoderRegistry.standard.encode(animation, as: .gif)
    origin.state.withLock { $0.body = data }
    let server = try await origin.server { $0.limits.animationFrames = 2 }
    let response = await get(server)
    #expect(response.fields[.contentType] == "image/gif")
    #expect(try CoderRegistry.standard.probe(response.data).frameCount == 2)
    #expect(server.metrics.snapshot.counters[.encodes] == 1)
    let metrics = String(decoding: server.metricsResponse.data, as: UTF8.self)
    #expect(metrics.contains("\nencodes_total 1\n") && metrics.contains("\ndecodes_total 1\n"))
    #expect(metrics.contains("\ncost_ratio{input=\"gif\",output=\"gif\"} "))
  }

  @Test func fieldsOfTheOriginArePassedOn() async throws {
    let origin = TestOrigin()
    origin.state.withLock {
      $0.fields = [
        .contentLocation: "199 a", .setCookie: "a=b", .server: "origin", .contentLanguage: "de", .age: "3",
      ]
    }
    let server = try await origin.server {
      $0.server.passedResponseHeaders = ["Content-Language", "set-cookie", "server", "content-location"]
    }
    for _ in 0..<2 {
      let fields = await get(server).fields
      #expect(fields[.contentLanguage] == "de" && fields[.contentLocation] == "199 a" && fields[.age] == nil)
      #expect(fields[.setCookie] == nil && fields[values: .server] == ["Calotype"])
    }
    let raw = await get(server, "/unsafe/raw:1/plain/http://images.example/a.png").fields
    #expect(raw[.contentLanguage] == "de" && raw[.setCookie] == nil && raw[.age] == nil)
    let facts = StoredResult.SourceFacts(
      version: "1", byteCount: 1, width: 1, height: 1,
      passed: [.contentLocation: "a: b", .contentLanguage: "de"])
    let result = StoredResult(
      data: Data([1]), contentType: "image/png", fileExtension: ".png", width: 1, height: 1, source: facts,
      isStorable: true, varyingHeaders: [], notices: [], tags: [])
    let record = CacheRecord(
      data: result.data, metadata: result.metadata(identity: "i"), created: .now, accessed: .now)
    #expect(StoredResult(record)?.source == facts)
  }

  /// Pixels are not touched before their turn, those of watermarks included: a plan that cannot be carried out is found out on
  /// a worker.
  @Test func plansAreCarriedOutInTurn() async throws {
    let server = try await TestOrigin().server()
    let path = "/unsafe/icc:adobe/plain/http://images.example/a.png"
    #expect(await get(server, path).errorCode != "overloaded")
    server.parts.admission.close()
    #expect(await get(server, path).errorCode == "shuttingDown")
  }

  @Test func failuresAreRemembered() async throws {
    let origin = TestOrigin()
    origin.state.withLock { $0.status = 404 }
    let server = try await origin.server()
    for _ in 0..<5 { #expect(await get(server).status.code == 404) }
    #expect(origin.loads == 1)
  }

  @Test func fallbackImages() async throws {
    let origin = TestOrigin()
    origin.state.withLock { $0.status = 404 }
    let bitmap = try Bitmap(rgb: [UInt8](repeating: 9, count: 100 * 100 * 3), width: 100, height: 100)
    let data = try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: .png)
    let server = try await origin.server {
      $0.fallback.data = data.base64EncodedString()
    }
    let response = await get(server)
    #expect(response.status == .ok && response.fields[.fallback] == "1")
    origin.state.withLock { $0.status = 200 }
    let other = await get(server, "/unsafe/plain/http://images.example/b.png")
    #expect(other.fields[.fallback] == nil)
  }

  @Test func purgedResultsAreMadeAnew() async throws {
    let origin = TestOrigin()
    let server = try await origin.server { $0.server.secrets = [Secret("token")] }
    let fields: HTTPFields = [.authorization: "Bearer token"]
    let path = "/unsafe/ct:cats/w:20/plain/http://images.example/a.png"
    _ = await get(server, path, fields: fields)
    _ = await get(server, path, fields: fields)
    #expect(server.metrics.snapshot.counters[.encodes] == 1)
    for target in [
      "/purge?tag=cats", "/purge?source=http://images.example/a.png", "/purge?prefix=http://images",
      "/purge?all=1",
    ] {
      let before = server.metrics.snapshot.counters[.encodes] ?? 0
      let request = HTTPRequest(
        method: .post, scheme: nil, authority: nil, path: target, headerFields: fields)
      guard case .pending(let work) = server.answer(to: request) else {
        Issue.record("a purge has to work")
        return
      }
      #expect(String(decoding: await work().data, as: UTF8.self) == "{\"removed\":1}\n", "\(target)")
      _ = await get(server, path, fields: fields)
      #expect(server.metrics.snapshot.counters[.encodes] == before + 1, "\(target)")
    }
  }

  @Test func reloadsAreWholeOrNotAtAll() async throws {
    let origin = TestOrigin()
    let server = try await origin.server()
    let path = "/unsafe/pr:small/plain/http://images.example/a.png"
    #expect(await get(server, path).status.code == 404)
    var settings = server.rules.settings
    settings.presets.definitions = ["small=w:10"]
    try server.reload(settings)
    #expect(await get(server, path).status == .ok)
    settings.presets.definitions = ["small=nonsense:1"]
    #expect(throws: (any Error).self) { try server.reload(settings) }
    #expect(await get(server, path).status == .ok)
  }

  @Test func theEndIsAnnounced() async throws {
    let server = try await TestOrigin().server()
    #expect(await get(server, "/ready").status == .ok)
    server.announceEnd()
    #expect(await get(server, "/ready").status == .serviceUnavailable)
    #expect(await get(server).status == .ok)
  }
}

extension HTTPFields {
  fileprivate static func + (left: HTTPFields, right: HTTPFields) -> HTTPFields {
    var fields = left
    fields.append(contentsOf: right)
    return fields
  }
}
