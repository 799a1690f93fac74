import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import CalotypeLoading

@Suite("Kept parts", .timeLimit(.minutes(1)))
final class PartialStoreTests {
  let server: ScriptedHTTPServer
  let waits = Waits()
  let folder: URL
  let bytes = pattern(2_000_000)
  let etag = "\"v1\""

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try LocalServer.makeFolder()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private var store: PartialStore { PartialStore(folder: folder.appending(path: "parts")) }

  private func loader(_ store: PartialStore) -> HTTPLoader {
    waits.loader(CurlLoader()) {
      $0.partials = store
      $0.retry = .none
    }
  }

  private var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "parts").path)) ?? []
  }

  private func cutOnce(_ path: String, after count: Int, then: Data? = nil, thenETag: String? = nil) {
    let (bytes, etag) = (self.bytes, self.etag)
    let number = Lock(0)
    server.route(path) { request in
      let isFirst = number.withLock { number in
        defer { number += 1 }
        return number == 0
      }
      let headers = [(name: "Content-Type", value: "image/png")]
      return isFirst
        ? ScriptedReply.resource(bytes, etag: etag, for: request, headers: headers).cut(after: count)
        : .resource(then ?? bytes, etag: thenETag ?? etag, for: request, headers: headers)
    }
  }

  private func load(_ path: String, _ store: PartialStore) async throws -> (Data, LoadResponse) {
    try await loader(store).data(for: LoadRequest(url: server.url(path)))
  }

  /// Each load with a store of its own, as another process has it.
  @Test(arguments: [1, 300_000, 1_999_999])
  func nextLoadAsksForTheRest(cut: Int) async throws {
    cutOnce("/a", after: cut)
    #expect(await loadingError { _ = try await load("/a", store) }?.code == "truncatedBody")
    #expect(files.count == 1)
    let (data, response) = try await load("/a", store)
    #expect(data == bytes)
    #expect(response.status == 200 && response.contentType == "image/png")
    #expect(response.expectedLength == bytes.count && response.headers[.contentRange] == nil)
    let request = try #require(server.requests.last)
    #expect(request[header: "Range"] == "bytes=\(cut)-")
    #expect(request[header: "If-Range"] == etag)
    #expect(files.isEmpty)
    #expect(store.failures == 0)
  }

  @Test func cancelledLoadsLeaveTheirPart() async throws {
    let gate = Gate()
    let (bytes, etag) = (self.bytes, self.etag)
    server.route("/a") { request in
      if request[header: "Range"] != nil { return .resource(bytes, etag: etag, for: request) }
      return ScriptedReply([
        .head(200, [("Content-Length", "\(bytes.count)"), ("ETag", etag), ("Accept-Ranges", "bytes")]),
        .bytes(bytes.prefix(600_000)), .wait(gate),
      ])
    }
    let loader = loader(store)
    let response = try await loader.load(LoadRequest(url: server.url("/a")))
    var received = 0
    for try await chunk in response.body {
      received += chunk.count
      if received == 600_000 { break }
    }
    #expect(try await load("/a", store).0 == bytes)
    #expect(server.requests.last?[header: "Range"] == "bytes=600000-")
  }

  @Test func changedResourcesBeginAnew() async throws {
    let other = pattern(1_500_000, seed: 2)
    cutOnce("/a", after: 500_000, then: other, thenETag: "\"v2\"")
    _ = await loadingError { _ = try await load("/a", store) }
    #expect(try await load("/a", store).0 == other)
    #expect(files.isEmpty)
  }

  /// Another image, whose server numbers its versions alike.
  @Test func otherTargetsBeginAnew() async throws {
    let (bytes, etag, other) = (self.bytes, self.etag, pattern(2_000_000, seed: 2))
    server.route("/a", .redirect(to: "/one"))
    server.route("/one") { request in .resource(bytes, etag: etag, for: request).cut(after: 500_000) }
    server.route("/two") { request in .resource(other, etag: etag, for: request) }
    _ = await loadingError { _ = try await load("/a", store) }
    #expect(files.count == 1)
    server.route("/a", .redirect(to: "/two"))
    #expect(try await load("/a", store).0 == other)
    #expect(files.isEmpty)
  }

  @Test(
    "nothing is kept of what a response, or a redirect to it, forbids to keep",
    arguments: ["no-store", "private", "max-age=5, private=\"x\""], [false, true])
  func forbidden(control: String, byRedirect: Bool) async throws {
    let (bytes, etag) = (self.bytes, self.etag)
    let headers = [(name: "Cache-Control", value: control)]
    server.route(
      "/a", .body(Data(), status: 302, headers: [("Location", "/b")] + (byRedirect ? headers : [])))
    server.route("/b") { request in
      .resource(bytes, etag: etag, for: request, headers: byRedirect ? [] : headers).cut(after: 500_000)
    }
    #expect(await loadingError { _ = try await load("/a", store) }?.code == "truncatedBody")
    #expect(files.isEmpty)
  }

  @Test func partsAreRemoved() async throws {
    cutOnce("/a", after: 500_000)
    let loader: any ImageLoading = LoaderGroup([BytesLoader(), loader(store)])
    _ = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/a"))) }
    #expect(files.count == 1)
    try await loader.removeParts()
    #expect(files.isEmpty)
  }

  @Test func partsInUseAreLeftAlone() async throws {
    cutOnce("/a", after: 500_000)
    _ = await loadingError { _ = try await load("/a", store) }
    let request = LoadRequest(url: server.url("/a"))
    let partial = try #require(await store.resume(request))
    #expect(partial.length == 500_000)
    #expect(await store.resume(request) == nil)
    #expect(try await load("/a", store).0 == bytes)
    #expect(files.count == 1)
    #expect(await partial.next(atMost: 500_000) != nil)
  }

  @Test func completeParts() async throws {
    cutOnce("/a", after: 500_000)
    _ = await loadingError { _ = try await load("/a", store) }
    do {
      let partial = try #require(await store.resume(LoadRequest(url: server.url("/a"))))
      await partial.append(bytes.dropFirst(500_000))
    }
    let (data, response) = try await load("/a", store)
    #expect(data == bytes)
    #expect(response.contentType == "image/png")
    #expect(server.requests.last?[header: "Range"] == "bytes=2000000-")
    #expect(files.isEmpty)
  }

  @Test(arguments: [0, 3, 20, 100, 300_000, 499_990])
  func damagedFilesAreGoodUpToTheDamage(offset: Int) async throws {
    cutOnce("/a", after: 500_000)
    _ = await loadingError { _ = try await load("/a", store) }
    let path = folder.appending(path: "parts/\(try #require(files.first))").path
    var contents = try Data(contentsOf: URL(filePath: path))
    contents[offset] ^= 1
    try contents.write(to: URL(filePath: path))
    #expect(try await load("/a", store).0 == bytes)
    #expect(files.isEmpty)
  }

  @Test(arguments: [1, 40, 200_000])
  func cutFilesAreGoodUpToTheCut(kept: Int) async throws {
    cutOnce("/a", after: 500_000)
    _ = await loadingError { _ = try await load("/a", store) }
    let path = folder.appending(path: "parts/\(try #require(files.first))").path
    #expect(truncate(path, off_t(kept)) == 0)
    #expect(try await load("/a", store).0 == bytes)
  }

  @Test func whoMayNotShareDoesNot() async throws {
    cutOnce("/a", after: 500_000)
    _ = await loadingError { _ = try await load("/a", store) }
    var request = LoadRequest(url: server.url("/a"))
    request.headers[.authorization] = "Bearer x"
    #expect(try await loader(store).data(for: request).0 == bytes)
    #expect(server.requests.last?[header: "Range"] == nil)
    request = LoadRequest(url: server.url("/a"))
    request.credential = .bearer("x")
    #expect(await store.resume(request) == nil)
  }

  @Test func whatIsNotWorthIt() async throws {
    let small = pattern(1_000)
    server.route("/small") { .resource(small, etag: "\"1\"", for: $0).cut(after: 500) }
    server.route("/untagged", ScriptedReply.body(bytes).cut(after: 500_000))
    for path in ["/small", "/untagged"] { _ = await loadingError { _ = try await load(path, store) } }
    #expect(files.isEmpty)
  }

  @Test func boundsOfTheFolder() async throws {
    let store = PartialStore(folder: folder.appending(path: "parts"), byteLimit: 4_500_000)
    for index in 0..<4 {
      cutOnce("/\(index)", after: 1_000_000)
      _ = await loadingError { _ = try await load("/\(index)", store) }
    }
    #expect(files.count == 3)
    let young = PartialStore(folder: folder.appending(path: "parts"), maxAge: .seconds(-10))
    cutOnce("/x", after: 1_000_000)
    _ = await loadingError { _ = try await load("/x", young) }
    #expect(files.count == 1)
  }

  @Test func foldersThatCannotBeUsed() async throws {
    try Data([1]).write(to: folder.appending(path: "parts"))
    cutOnce("/a", after: 500_000)
    let store = self.store
    _ = await loadingError { _ = try await load("/a", store) }
    #expect(store.failures > 0)
    #expect(try await load("/a", store).0 == bytes)
  }

  /// RFC 9110 §15.3.7: with If-Range a server leaves out what the client has already.
  @Test func partsWithoutAType() async throws {
    let (bytes, etag) = (self.bytes, self.etag)
    server.route("/a") { request in
      request[header: "Range"] == nil
        ? ScriptedReply.resource(bytes, etag: etag, for: request, headers: [("Content-Type", "image/png")])
          .cut(after: 500_000)
        : .resource(bytes, etag: etag, for: request)
    }
    let store = self.store
    let loader = waits.loader(CurlLoader()) {
      $0.partials = store
      $0.retry = .none
      $0.contentTypes = ["image/png"]
    }
    let request = LoadRequest(url: server.url("/a"))
    _ = await loadingError { _ = try await loader.data(for: request) }
    let (data, response) = try await loader.data(for: request)
    #expect(data == bytes && response.contentType == "image/png")
  }

  /// A limit holds for all bytes, whoever brought them.
  @Test func limitsOfStitchedBodies() async throws {
    cutOnce("/a", after: 500_000)
    _ = await loadingError { _ = try await load("/a", store) }
    let request = LoadRequest(url: server.url("/a"), byteLimit: 100_000)
    let response = await loadingError {
      for try await _ in try await loader(store).load(request).body {}
    }
    #expect(response?.code == "tooLarge")
  }

  /// The new version breaks off too: the next load goes on with that one.
  @Test func changedResourcesAreKeptInTheirTurn() async throws {
    let (bytes, etag, other) = (self.bytes, self.etag, pattern(1_500_000, seed: 2))
    let number = Lock(0)
    server.route("/a") { request in
      let count = number.withLock { number in
        defer { number += 1 }
        return number
      }
      let whole =
        count == 0
        ? ScriptedReply.resource(bytes, etag: etag, for: request)
        : .resource(other, etag: "\"v2\"", for: request)
      return count < 2 ? whole.cut(after: 600_000) : whole
    }
    for _ in 0..<2 {
      #expect(await loadingError { _ = try await load("/a", store) }?.code == "truncatedBody")
    }
    #expect(try await load("/a", store).0 == other)
    let requests = server.requests
    #expect(requests.map { $0[header: "Range"] } == [nil, "bytes=600000-", "bytes=600000-"])
    #expect(requests.map { $0[header: "If-Range"] } == [nil, etag, "\"v2\""])
    #expect(files.isEmpty)
  }
}
