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

/// Images that options name besides the source: watermarks and fallbacks.
@Suite("Named images", .timeLimit(.minutes(1)))
struct NamedImageTests {
  private static let mark = "http://images.example/mark.png"
  private static let fallback = "http://images.example/fallback.png"

  private static func base64(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }

  /// The path of a picture under a watermark that covers all of it.
  private static func path(_ options: String = "w:40", mark: String = mark) -> String {
    "/unsafe/\(options)/wm:1:ce:0:0:1/wmu:\(base64(mark))/plain/http://images.example/a.png"
  }

  private func origin(_ color: UInt8 = 250, fields: HTTPFields = [.cacheControl: "max-age=60"]) throws
    -> TestOrigin
  {
    let origin = TestOrigin()
    let body = try TestOrigin.picture(color)
    origin.state.withLock { $0.others["/mark.png"] = TestOrigin.Other(body: body, fields: fields) }
    return origin
  }

  /// The red of the pixel in the middle.
  private func middle(_ response: ServedResponse) throws -> UInt8 {
    let bitmap = try CoderRegistry.standard.decode(response.data).bitmap
    return bitmap.withUnsafeBytes { $0[bitmap.height / 2 * bitmap.bytesPerRow + bitmap.width / 2 * 4] }
  }

  @Test func watermarksOfURLsAreDrawn() async throws {
    let origin = try origin()
    let server = try await origin.server()
    let responses = await withTaskGroup(of: ServedResponse.self) { group in
      for width in 0..<20 { group.addTask { await server.response(Self.path("w:\(40 + width % 4)")) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for response in responses {
      #expect(response.status == .ok)
      #expect(try middle(response) == 250)
    }
    #expect(origin.loads(of: "/mark.png") == 1)
    #expect(server.metrics.snapshot.counters[.encodes] == 4)
    // Pixels and file are kept.
    #expect(server.watermarks.statistics?.count == 1)
    #expect(server.watermarks.statistics?.bytes == 20 * 20 * 4)
    #expect(await server.response(Self.path("w:50")).status == .ok)
    #expect(origin.loads(of: "/mark.png") == 1)
  }

  @Test func withoutRoomNothingIsKept() async throws {
    let origin = try origin()
    let server = try await origin.server { $0.watermark.cacheSize = 0 }
    for width in 40..<43 { #expect(await server.response(Self.path("w:\(width)")).status == .ok) }
    #expect(origin.loads(of: "/mark.png") == 3 && server.watermarks.statistics == nil)
  }

  @Test func stagesHaveTheirOwn() async throws {
    let origin = try origin()
    let other = try TestOrigin.picture(120, 40, 40)
    origin.state.withLock { $0.others["/other.png"] = TestOrigin.Other(body: other) }
    let server = try await origin.server()
    let second = Self.base64("http://images.example/other.png")
    let path =
      "/unsafe/w:40/wm:1:ce:0:0:1/wmu:\(Self.base64(Self.mark))/-/wm:1:nowe:0:0:0.1/wmu:\(second)/plain/http://images.example/a.png"
    let response = await server.response(path)
    #expect(response.status == .ok)
    let bitmap = try CoderRegistry.standard.decode(response.data).bitmap
    #expect(bitmap.withUnsafeBytes { $0[0] } == 120)
    #expect(try middle(response) == 250)
  }

  /// The result is fresh for as long as both of its sources are, and changes with each.
  @Test func changedWatermarksMakeChangedResults() async throws {
    let (origin, now) = (try origin(fields: [.cacheControl: "max-age=5", .eTag: "\"1\""]), TestTime())
    origin.state.withLock { $0.age = 100_000 }
    now.advance(Date.now.timeIntervalSince(now.date))
    let server = try await origin.server(now: now) {
      $0.httpCache.staleWhileRevalidate = .zero
      $0.httpCache.passesCacheControl = true
    }
    let first = await server.response(Self.path())
    #expect(first.fields[.cacheControl]?.contains("max-age=5") == true)
    now.advance(2)
    _ = await server.response(Self.path())
    #expect(origin.loads(of: "/mark.png") == 1)
    now.advance(10)
    let second = await server.response(Self.path())
    #expect(second.data == first.data && server.metrics.snapshot.counters[.encodes] == 1)
    #expect(server.metrics.snapshot.counters[.confirmations] == 1)
    #expect(origin.loads(of: "/mark.png") == 2)
    let body = try TestOrigin.picture(100)
    origin.state.withLock { $0.others["/mark.png"]?.body = body }
    now.advance(10)
    let third = await server.response(Self.path())
    #expect(try middle(third) == 100)
  }

  @Test func resultsOfPrivateWatermarksAreNotKept() async throws {
    let origin = try origin(fields: [.cacheControl: "private"])
    let server = try await origin.server()
    for _ in 0..<2 { #expect(await server.response(Self.path()).status == .ok) }
    #expect(server.metrics.snapshot.counters[.encodes] == 2 && server.parts.store.memoryStatistics.count == 0)
    #expect(server.watermarks.statistics?.count == 0)
  }

  /// A watermark is as necessary as the source: no image stands for it, and nothing is decoded without it.
  @Test(arguments: [(404, 404, "sourceStatus"), (500, 502, "sourceStatus")])
  func failures(_ status: Int, _ expected: Int, _ code: String) async throws {
    let origin = try origin()
    origin.state.withLock { $0.others["/mark.png"]?.status = status }
    let data = try TestOrigin.picture(9)
    let server = try await origin.server { $0.fallback.data = data.base64EncodedString() }
    for width in 40..<43 {
      let response = await server.response(Self.path("w:\(width)"))
      #expect(response.status.code == expected && response.errorCode == code)
      #expect(response.fields[.fallback] == nil)
    }
    // Errors of the origin's own are remembered for a moment only.
    if status == 404 { #expect(origin.loads(of: "/mark.png") == 1) }
    #expect(server.metrics.snapshot.counters[.decodes] ?? 0 == 0)
  }

  @Test func imagesThatCannotBeReadAreFailures() async throws {
    let origin = try origin()
    let server = try await origin.server { $0.server.showsErrorDetails = true }
    origin.state.withLock { $0.others["/mark.png"]?.body = Data("no image, but text".utf8) }
    #expect(await server.response(Self.path()).errorCode == "unsupportedSource")
    let whole = try TestOrigin.picture(3, 200, 200)
    origin.state.withLock { $0.others["/b.png"] = TestOrigin.Other(body: whole.prefix(60)) }
    let cut = await server.response(Self.path(mark: "http://images.example/b.png"))
    #expect(cut.status.code == 422 && String(decoding: cut.data, as: UTF8.self).contains("watermark_url"))
    let large = try TestOrigin.picture(3, 200, 200)
    origin.state.withLock { $0.others["/c.png"] = TestOrigin.Other(body: large) }
    let small = try await origin.server { $0.limits.sourcePixels = 10_000 }
    #expect(
      await small.response(Self.path(mark: "http://images.example/c.png")).errorCode == "sourceTooLarge")
  }

  @Test func rulesOfSourcesHold() async throws {
    let origin = try origin()
    let server = try await origin.server {
      $0.security.allowedSources = ["http://images.example/a"]
      $0.watermark.directory = "/marks"
    }
    #expect(await server.response(Self.path()).errorCode == "sourceRefused")
    #expect(await server.response(Self.path(mark: "../a.png")).errorCode == "sourceRefused")
    let path = "/unsafe/fiu:\(Self.base64(Self.fallback))/plain/http://images.example/a.png"
    #expect(await server.response(path).errorCode == "sourceRefused")
    let open = try await origin.server()
    for mark in ["http://127.0.0.1/a.png", "http://169.254.169.254/latest"] {
      #expect(await open.response(Self.path(mark: mark)).errorCode == "sourceRefused")
    }
    for mark in ["local:///a.png", "a.png", "ftp://a/b"] {
      #expect(await open.response(Self.path(mark: mark)).errorCode == "sourceUnreachable")
    }
    // Without opacity, nothing is drawn, and nothing is loaded.
    #expect(
      await open.response("/unsafe/wm:0/wmu:\(Self.base64("ftp://a/b"))/plain/http://images.example/a.png")
        .status == .ok)
    #expect(origin.loads == 1)
    let resolver = SourceResolver(allowed: [SourcePattern("http://a/")], watermarkFolder: "/marks")
    #expect(try resolver.resolveWatermark("logos/a.png").url.path() == "/marks/logos/a.png")
    let many = (0..<9).map { "wm:1/wmu:\(Self.base64("http://images.example/\($0)"))" }.joined(
      separator: "/-/")
    #expect(
      await open.response("/unsafe/\(many)/plain/http://images.example/a.png").errorCode == "invalidURL")
  }

  @Test(arguments: ["source=http://images.example/mark.png", "prefix=http://images", "all=1", "tag=cats"])
  func purgesReachWatermarks(_ query: String) async throws {
    let origin = try origin()
    let server = try await origin.server { $0.server.secrets = [Secret("token")] }
    let token: HTTPFields = [.authorization: "Bearer token"]
    #expect(await server.response(Self.path("w:40/ct:cats"), token).status == .ok)
    #expect(await server.response(Self.path("w:41/ct:cats"), token).status == .ok)
    #expect(origin.loads(of: "/mark.png") == 1)
    #expect(await server.response(to: .post, "/purge?" + query, token).status == .ok)
    #expect(await server.response(Self.path("w:42/ct:cats"), token).status == .ok)
    #expect(origin.loads(of: "/mark.png") == 2)
  }

  @Test func fallbacksOfRequests() async throws {
    let origin = TestOrigin()
    let (own, common) = (try TestOrigin.picture(200), try TestOrigin.picture(50))
    origin.state.withLock {
      $0.status = 404
      $0.others["/fallback.png"] = TestOrigin.Other(body: own)
    }
    let server = try await origin.server {
      $0.fallback.data = common.base64EncodedString()
      $0.fallback.status = 203
    }
    let path = "/fiu:\(Self.base64(Self.fallback))/plain/http://images.example/a.png"
    for width in [10, 10, 12] {
      let response = await server.response("/unsafe/w:\(width)" + path)
      #expect(response.status.code == 203 && response.fields[.fallback] == "1")
      #expect(try middle(response) == 200)
    }
    // It is kept, as an image and not as a result.
    #expect(origin.loads(of: "/fallback.png") == 1 && server.parts.store.memoryStatistics.count == 0)
    // That of the server stands for one that cannot be loaded.
    let missing = "/fiu:\(Self.base64("http://images.example/none.png"))/plain/http://images.example/a.png"
    #expect(try middle(await server.response("/unsafe/w:10" + missing)) == 50)
    let alone = try await origin.server { $0.fallback.cacheSize = 0 }
    #expect(await alone.response("/unsafe/w:10" + missing).errorCode == "sourceStatus")
    for width in 10..<12 { #expect(await alone.response("/unsafe/w:\(width)" + path).status == .ok) }
    #expect(origin.loads(of: "/fallback.png") == 3)
    // A source that can be loaded needs none.
    origin.state.withLock { $0.status = 200 }
    let other = "/unsafe/fiu:\(Self.base64(Self.fallback))/plain/http://images.example/b.png"
    let response = await server.response(other)
    #expect(try middle(response) == 10 && response.fields[.fallback] == nil)
  }
}
