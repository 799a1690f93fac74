import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

@Suite("Continued bodies", .timeLimit(.minutes(1)))
struct ResumableBodyTests {
  let server: ScriptedHTTPServer
  let waits = Waits()
  let bytes = pattern(700_000)
  let etag = "\"v1\""

  init() throws {
    server = try ScriptedHTTPServer()
  }

  /// What the server does with the n-th request.
  private func route(_ path: String, _ reply: @escaping @Sendable (Int, ScriptedRequest) -> ScriptedReply) {
    let count = Lock(0)
    server.route(path) { request in
      let number = count.withLock { count in
        defer { count += 1 }
        return count
      }
      return reply(number, request)
    }
  }

  private func load(_ path: String, _ loader: HTTPLoader) async throws -> Data {
    try await loader.data(for: LoadRequest(url: server.url(path))).0
  }

  @Test(arguments: [1, 50_000, 699_999], [false, true])
  func restIsAskedFor(cut: Int, resets: Bool) async throws {
    let (bytes, etag) = (self.bytes, self.etag)
    route("/a") { number, request in
      let whole = ScriptedReply.resource(
        bytes, etag: etag, for: request, headers: [("Content-Type", "image/png")])
      return number == 0 ? whole.cut(after: cut, resets: resets) : whole
    }
    let loader = waits.loader()
    let (data, response) = try await loader.data(for: LoadRequest(url: server.url("/a")))
    #expect(data == bytes)
    #expect(response.status == 200 && response.expectedLength == bytes.count)
    let requests = server.requests
    try #require(requests.count == 2)
    // What a reset takes with it on the way was not delivered; what was delivered is not asked for again.
    if !resets {
      #expect(requests[1][header: "Range"] == "bytes=\(cut)-")
      #expect(requests[1][header: "If-Range"] == etag)
    }
    #expect(loader.statistics.continued == 1)
    #expect(response.metrics?.attempts == 2)
  }

  @Test func brokenAgainAndAgain() async throws {
    let (bytes, etag) = (self.bytes, self.etag)
    route("/a") { number, request in
      let whole = ScriptedReply.resource(bytes, etag: etag, for: request)
      return number < 5 ? whole.cut(after: 100_000) : whole
    }
    #expect(try await load("/a", waits.loader { $0.retry.maxRetries = 5 }) == bytes)
    route("/a") { _, request in .resource(bytes, etag: etag, for: request).cut(after: 100_000) }
    let error = await loadingError { _ = try await load("/a", waits.loader()) }
    guard case .truncatedBody = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.requests.count == 6 + 3)
  }

  /// Without ranges or a strong validator everything comes again, and is compared.
  @Test(arguments: [nil, "W/\"v1\""] as [String?])
  func wholeComesAgain(etag: String?) async throws {
    let bytes = self.bytes
    let headers = etag.map { [("ETag", $0)] } ?? []
    route("/a") { number, _ in
      let whole = ScriptedReply.body(bytes, headers: headers)
      return number == 0 ? whole.cut(after: 300_001) : whole
    }
    #expect(try await load("/a", waits.loader()) == bytes)
    #expect(server.requests.allSatisfy { $0[header: "Range"] == nil })
    let other = pattern(700_000, seed: 2)
    route("/b") { number, _ in number == 0 ? ScriptedReply.body(bytes).cut(after: 300_001) : .body(other) }
    #expect(
      await loadingError { _ = try await load("/b", waits.loader()) }
        == .contentChanged(server.url("/b"), received: 300_001))
    route("/c") { number, _ in
      number == 0 ? ScriptedReply.body(bytes).cut(after: 300_001) : .body(bytes.prefix(9))
    }
    #expect(await loadingError { _ = try await load("/c", waits.loader()) }?.code == "contentChanged")
  }

  @Test func changedMeanwhile() async throws {
    let (bytes, etag, other) = (self.bytes, self.etag, pattern(700_000, seed: 2))
    // RFC 9110: another version is sent as a whole.
    route("/a") { number, request in
      number == 0
        ? ScriptedReply.resource(bytes, etag: etag, for: request).cut(after: 5_000)
        : .resource(other, etag: "\"v2\"", for: request)
    }
    #expect(await loadingError { _ = try await load("/a", waits.loader()) }?.code == "contentChanged")
    // A server that does not look at If-Range at all, but sends the same.
    route("/b") { number, request in
      number == 0 ? ScriptedReply.resource(bytes, etag: etag, for: request).cut(after: 5_000) : .body(bytes)
    }
    #expect(try await load("/b", waits.loader()) == bytes)
  }

  @Test(arguments: [
    "bytes 0-699999/700000", "bytes 5001-699999/700000", "bytes 5000-699999/700001", "bytes 5000-5999/700000",
    "bytes 5000-699998/*", "nonsense", "", "bytes 18446744073709551616-1/2",
  ])
  func lyingRanges(field: String) async throws {
    let (bytes, etag) = (self.bytes, self.etag)
    route("/a") { number, request in
      number == 0
        ? ScriptedReply.resource(bytes, etag: etag, for: request).cut(after: 5_000)
        : .body(bytes.dropFirst(5_000), status: 206, headers: [("Content-Range", field), ("ETag", etag)])
    }
    #expect(await loadingError { _ = try await load("/a", waits.loader()) }?.code == "contentChanged")
  }

  @Test func otherTagInThePart() async throws {
    let (bytes, etag) = (self.bytes, self.etag)
    route("/a") { number, request in
      number == 0
        ? ScriptedReply.resource(bytes, etag: etag, for: request).cut(after: 5_000)
        : .body(
          bytes.dropFirst(5_000), status: 206,
          headers: [("Content-Range", "bytes 5000-699999/700000"), ("ETag", "\"v2\"")])
    }
    #expect(await loadingError { _ = try await load("/a", waits.loader()) }?.code == "contentChanged")
  }

  /// Two images behind one URL, whose servers number their versions alike.
  @Test func otherTargetOfARedirect() async throws {
    let (bytes, etag, other) = (self.bytes, self.etag, pattern(700_000, seed: 2))
    let targets = Lock(["/one", "/two"])
    server.route("/a") { [server] _ in
      let target = targets.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      return .body(Data(), status: 302, headers: [("Location", server.url(target).absoluteString)])
    }
    server.route("/one") { request in
      .resource(bytes, etag: etag, for: request).cut(after: 300_000)
    }
    server.route("/two") { request in .resource(other, etag: etag, for: request) }
    #expect(
      await loadingError { _ = try await load("/a", waits.loader()) }
        == .contentChanged(server.url("/one"), received: 300_000))
    #expect(server.requests(for: "/two").map { $0[header: "Range"] } == ["bytes=300000-", nil])
    // The same bytes may come from anywhere.
    targets.withLock { $0 = ["/one", "/three"] }
    server.route("/three") { request in .resource(bytes, etag: etag, for: request) }
    #expect(try await load("/a", waits.loader()) == bytes)
  }

  @Test func leftInTheMiddle() async throws {
    let gate = Gate()
    let (bytes, etag) = (self.bytes, self.etag)
    route("/a") { number, request in
      number == 0
        ? ScriptedReply.resource(bytes, etag: etag, for: request).cut(after: 100_000)
        : ScriptedReply([.signal(gate), .hang])
    }
    let loader = waits.loader(CurlLoader())
    let url = server.url("/a")
    let task = Task { try await loader.data(for: LoadRequest(url: url)).0 }
    try await gate.wait()
    task.cancel()
    #expect(await wasCancelled(task))
    try await server.waitForDisconnects("/a")
  }

  @Test(
    arguments: [
      (206, "bytes 10-99/100", 10, 100, RangeResumption.rest), (206, "bytes 10-99/*", 10, nil, .rest),
      (206, "bytes 10-89/100", 10, 100, .changed), (206, "bytes 9-99/100", 10, 100, .changed),
      (416, "bytes */10", 10, 10, .complete), (416, "bytes */10", 10, nil, .complete),
      (416, "bytes */9", 10, 10, .changed), (416, "", 10, 10, .changed), (200, "", 10, 10, .whole),
      (203, "", 10, 10, .whole), (206, "", 10, 10, .changed),
    ] as [(Int, String, Int, Int?, RangeResumption)])
  func answers(status: Int, range: String, offset: Int, total: Int?, expected: RangeResumption) {
    var headers = HTTPFields()
    if !range.isEmpty { headers[.contentRange] = range }
    func answer(isSamePlace: Bool) -> RangeResumption {
      RangeResumption(
        status: status, headers: headers, isSamePlace: isSamePlace, offset: offset, total: total,
        etag: "\"1\"")
    }
    #expect(answer(isSamePlace: true) == expected)
    #expect(answer(isSamePlace: false) == (expected == .whole ? .whole : .elsewhere))
    headers[.contentEncoding] = "gzip"
    if expected == .rest {
      #expect(answer(isSamePlace: true) == .changed)
    }
  }
}
