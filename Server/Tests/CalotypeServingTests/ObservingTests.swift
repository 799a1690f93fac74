import CalotypeCaching
import CalotypeImaging
import CalotypeLoading
import CalotypeResults
import CalotypeSettings
import FoundationEssentials
import HTTPTypes
import InMemoryTracing
import Synchronization
import Testing
import Tracing

@testable import CalotypeServing

/// Facts about requests, traces and gauges.
@Suite("Observing", .timeLimit(.minutes(1)))
struct ObservingTests {
  private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
  private static let path =
    "/unsafe/rs:fit:40:40/plain/https://user:secret%40images.example:8443/a.png%3Ftoken=hidden"

  private final class Seen: Sendable {
    let records = Mutex([RequestRecord]())
    let fields = Mutex([HTTPFields]())
  }

  private func server(
    _ seen: Seen, tracer: any Tracer = NoOpTracer(), _ change: (inout Settings) -> Void = { _ in }
  ) async throws -> ImageServer {
    var settings = Settings()
    settings.security.allowsUnsigned = true
    settings.server.timeout = .seconds(600)
    settings.concurrency.queueTime = .zero
    change(&settings)
    let loader = ClosureLoader(accepts: { $0.url != nil }) { request in
      seen.fields.withLock { $0.append(request.headers) }
      let url = request.source.url ?? URL(filePath: "/")
      if url.path().hasSuffix("none") { throw LoadingError.httpStatus(url, status: 404, headers: [:]) }
      let bitmap = try Bitmap(
        rgb: [UInt8](repeating: 9, count: 80 * 60 * 3), width: 80, height: 60)
      let data = try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: .png)
      return LoadResponse(
        url: url, status: 200, headers: [.cacheControl: "max-age=60"], expectedLength: data.count,
        contentType: "image/png", body: LoadBody([data]))
    }
    let parts = try await ServerParts(settings, loader: loader, tracer: tracer)
    return try ImageServer(
      settings, parts: parts, canaryLimit: .seconds(60),
      observer: { record in
        seen.records.withLock { $0.append(record) }
      })
  }

  @discardableResult private func get(
    _ server: ImageServer, _ path: String = path, fields: HTTPFields = [:]
  ) async -> ServedResponse {
    let request = HTTPRequest(
      method: .get, scheme: "http", authority: "server", path: path, headerFields: fields)
    switch server.answer(to: request) {
    case .ready(let response): return response
    case .pending(let work): return await work()
    }
  }

  @Test func eachRequestHasOneRecord() async throws {
    let seen = Seen()
    let server = try await server(seen)
    let response = await get(
      server, fields: [.requestID: "abc-1", .traceParent: Self.parent])
    #expect(response.status == .ok && response.fields[.requestID] == "abc-1")
    await get(server)
    await get(server, "/unsafe/w:10/plain/http://images.example/none")
    await get(server, "/unsafe/nonsense:1/plain/http://images.example/a.png")
    await get(server, "/health", fields: [.requestID: "not well formed"])
    let records = seen.records.withLock(\.self)
    #expect(records.map(\.status.code) == [200, 200, 404, 404, 200])
    #expect(records[0].requestID == "abc-1" && records[0].traceID == "0af7651916cd43dd8448eb211c80319c")
    #expect(records.map(\.errorCode) == [nil, nil, "sourceStatus", "invalidURL", nil])
    #expect(records.map(\.isProbe) == [false, false, false, false, true])
    #expect(records[0].subject == records[1].subject && records[0].subject?.identity.utf8.count == 12)
    #expect(records[0].subject?.sourceHost == "images.example:8443")
    #expect(records[2].subject?.sourceHost == "images.example" && records[3].subject == nil)
    #expect(records[4].requestID.utf8.count == 21)
    // Neither URLs nor what is secret in them.
    let text = "\(records)"
    for secret in ["secret", "hidden", "a.png", "user"] { #expect(!text.contains(secret)) }
  }

  /// Work that is never performed, because the client has left, is not in progress for ever.
  @Test func requestsInProgressEnd() async throws {
    let server = try await server(Seen())
    for _ in 0..<5 {
      let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: Self.path)
      guard case .pending = server.answer(to: request) else {
        Issue.record("nothing is to be done")
        return
      }
    }
    await get(server)
    await get(server)
    let state = server.metrics.snapshot
    #expect(state.requestsInProgress == 0 && state.counters[.requests] == 2)
  }

  @Test func tracesReachOriginsOnlyIfSettingsSaySo() async throws {
    let fields: HTTPFields = [.traceParent: Self.parent, .traceState: "congo=t61"]
    for continues in [false, true] {
      let seen = Seen()
      let server = try await server(seen) { $0.metrics.continuesTraces = continues }
      await get(server, fields: fields)
      await get(server, Self.path.replacing("rs:fit", with: "raw:1/rs:fit"), fields: fields)
      let sent = seen.fields.withLock(\.self)
      #expect(sent.count == 2)
      for fields in sent {
        #expect(fields[.traceParent] == (continues ? Self.parent : nil))
        #expect(fields[.traceState] == (continues ? "congo=t61" : nil))
      }
    }
  }

  /// Requests with different traces are equal.
  @Test func tracesArePartOfNoIdentity() async throws {
    let seen = Seen()
    let server = try await server(seen) { $0.metrics.continuesTraces = true }
    await get(server, fields: [.traceParent: Self.parent])
    await get(server, fields: [.traceParent: Self.parent.replacing("b7", with: "c7")])
    #expect(seen.fields.withLock(\.count) == 1)
  }

  @Test func spansOfStages() async throws {
    let tracer = InMemoryTracer()
    let server = try await server(Seen(), tracer: tracer)
    await get(server)
    await get(server, "/unsafe/w:10/plain/http://images.example/none")
    let spans = tracer.finishedSpans
    let roots = spans.filter { $0.operationName == "calotype.server" }
    #expect(roots.count == 2 && tracer.activeSpans.isEmpty)
    let names = Set(spans.filter { $0.traceID == roots.first?.traceID }.map(\.operationName))
    for stage in ["fetch", "admission", "decode", "encode", "store", "load"] {
      #expect(names.contains("calotype.\(stage)"), "\(names)")
    }
    let failed = spans.filter { $0.operationName == "calotype.fetch" && $0.status?.code == .error }
    #expect(failed.map { $0.status?.message } == ["sourceStatus"])
  }

  @Test func readinessNeedsADiskThatCanBeWritten() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await server(Seen()) { $0.cache.directory = folder.path }
    #expect(await get(server, "/ready").status == .ok)
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let name = CacheKey("canary").hexDigest.suffix(16)
    #expect(!left.contains { $0.contains(name) }, "a probe left a record: \(left)")
    // A file in the place of the folder: root may write into any folder.
    try FileManager.default.removeItem(at: folder)
    try Data().write(to: folder)
    let response = await get(server, "/ready")
    #expect(response.status == .serviceUnavailable)
    #expect(String(decoding: response.data, as: UTF8.self) == "the disk of the cache cannot be written\n")
  }

  @Test func droppedLinesAreAMetric() async throws {
    var settings = Settings()
    settings.security.allowsUnsigned = true
    let server = try ImageServer(settings, parts: await ServerParts(settings), droppedLogLines: { 7 })
    let text = String(decoding: server.metricsResponse.data, as: UTF8.self)
    #expect(text.contains("\nlog_lines_dropped_total 7\n"))
  }
}
