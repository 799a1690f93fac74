import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("HTTP loading", .timeLimit(.minutes(1)))
struct CurlLoaderTests {
  let server: ScriptedHTTPServer
  let loader = CurlLoader()

  init() throws {
    server = try ScriptedHTTPServer()
  }

  @Test func headAndBody() async throws {
    let bytes = pattern(10_000)
    server.route("/a.png", .body(bytes, headers: [("Content-Type", "image/png"), ("ETag", "\"7\"")]))
    let (data, response) = try await loader.data(for: LoadRequest(url: server.url("/a.png")))
    #expect(data == bytes)
    #expect(response.status == 200)
    #expect(response.url == server.url("/a.png"))
    #expect(response.contentType == "image/png")
    #expect(response.expectedLength == 10_000)
    #expect(response.headers[.eTag] == "\"7\"")
    #expect(loader.statistics.completed == 1)
    #expect(loader.statistics.bytesReceived == 10_000)
    #expect(loader.statistics.active == 0)
  }

  @Test(arguments: [1, 2, 100, 16_383, 16_384, 16_385, 65_536, 1 << 20, (1 << 20) + 1, 5_000_000])
  func bodiesAreExact(count: Int) async throws {
    let bytes = pattern(count, seed: UInt64(count))
    server.route("/plain", .body(bytes))
    server.route("/unframed", ScriptedReply([.head(200, []), .bytes(bytes), .close]))
    #expect(try await loader.data(for: LoadRequest(url: server.url("/plain"))).0 == bytes)
    let (data, response) = try await loader.data(for: LoadRequest(url: server.url("/unframed")))
    #expect(data == bytes)
    #expect(response.expectedLength == nil)
  }

  @Test(arguments: [1, 7, 1_000, 16_384, 100_000])
  func chunkedBodiesAreExact(size: Int) async throws {
    let bytes = pattern(size < 10 ? 2_000 : 300_000)
    let chunks = stride(from: 0, to: bytes.count, by: size).map {
      Data(bytes[$0..<min($0 + size, bytes.count)])
    }
    server.route("/chunked", .chunked(chunks))
    let (data, response) = try await loader.data(for: LoadRequest(url: server.url("/chunked")))
    #expect(data == bytes)
    #expect(response.expectedLength == nil)
  }

  @Test func headComesBeforeBody() async throws {
    let gate = Gate()
    server.route("/late", .gated([(gate, pattern(100))]))
    let response = try await loader.load(LoadRequest(url: server.url("/late")))
    #expect(response.expectedLength == 100)
    #expect(loader.statistics.active == 1)
    gate.open()
    var data = Data()
    for try await chunk in response.body { data.append(chunk) }
    #expect(data == pattern(100))
  }

  @Test func piecesArriveAsTheyAreSent() async throws {
    let gates = (0..<3).map { _ in Gate() }
    server.route("/drip", .gated(gates.enumerated().map { ($1, pattern(10, seed: UInt64($0 + 1))) }))
    var body = try await loader.load(LoadRequest(url: server.url("/drip"))).body.makeAsyncIterator()
    for (index, gate) in gates.enumerated() {
      gate.open()
      #expect(try await body.next() == pattern(10, seed: UInt64(index + 1)))
    }
    #expect(try await body.next() == nil)
    #expect(try await body.next() == nil)
  }

  @Test func requestFields() async throws {
    server.route("/fields", .body(Data([1])))
    var request = LoadRequest(url: server.url("/fields"))
    _ = try await loader.data(for: request)
    request.headers[.authorization] = "Bearer x"
    request.headers[.accept] = "image/webp"
    request.headers[.userAgent] = "mine"
    request.headers[.contentLength] = "17"
    _ = try await loader.data(for: request)
    let seen = server.requests(for: "/fields")
    try #require(seen.count == 2)
    #expect(seen[0].method == "GET")
    #expect(seen[0][header: "Accept"] == "image/*,*/*;q=0.8")
    #expect(seen[0][header: "User-Agent"] == "Calotype/0.1")
    #expect(seen[0][header: "Accept-Encoding"] == "identity")
    #expect(seen[0][header: "Authorization"] == nil)
    #expect(seen[1][header: "Authorization"] == "Bearer x")
    #expect(seen[1][header: "Accept"] == "image/webp")
    #expect(seen[1][header: "User-Agent"] == "mine")
    #expect(seen[1][header: "Content-Length"] == nil)
    for request in seen {
      #expect(request.headers.count { ["accept", "user-agent"].contains($0.name.lowercased()) } == 2)
    }
  }

  @Test func conditionalRequestSeesNotModified() async throws {
    server.route("/same", ScriptedReply([.head(304, [("ETag", "\"1\"")])]))
    var request = LoadRequest(url: server.url("/same"))
    request.headers[.ifNoneMatch] = "\"1\""
    let (data, response) = try await loader.data(for: request)
    #expect(data.isEmpty)
    #expect(response.status == 304)
    #expect(response.headers[.eTag] == "\"1\"")
  }

  @Test func interimResponsesAreSkipped() async throws {
    server.route(
      "/hints",
      ScriptedReply([
        .head(103, [("Link", "</x>")]), .head(200, [("Content-Length", "3")]), .bytes(Data([1, 2, 3])),
      ]))
    let (data, response) = try await loader.data(for: LoadRequest(url: server.url("/hints")))
    #expect(data == Data([1, 2, 3]))
    #expect(response.status == 200)
    #expect(response.headers.count == 1)
  }

  @Test func contentCodingIsUndoneAndCounted() async throws {
    // 16,384 zeros in 51 bytes of gzip.
    let packed = try #require(
      Data(
        base64Encoded:
          "H4sIAAAAAAAC/+3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAIC3AYbSVKsAQAAA"))
    server.route("/gzip", .body(packed, headers: [("Content-Encoding", "gzip")]))
    let (data, response) = try await loader.data(for: LoadRequest(url: server.url("/gzip")))
    #expect(data == Data(count: 16_384))
    #expect(response.expectedLength == nil)
    let limited = LoadRequest(url: server.url("/gzip"), byteLimit: 1_000)
    let error = await loadingError { _ = try await loader.data(for: limited) }
    #expect(error == .tooLarge(limited.source, limit: 1_000, declared: nil))
    // In pieces, cut, damaged, doubled, and by a name that nobody knows.
    let pieces = packed.map { Data([$0]) }
    server.route("/pieces", .chunked(pieces, headers: [("Content-Encoding", "x-gzip")]))
    #expect(try await loader.data(for: LoadRequest(url: server.url("/pieces"))).0 == Data(count: 16_384))
    server.route("/twice", .body(packed + packed, headers: [("Content-Encoding", "GZIP")]))
    #expect(try await loader.data(for: LoadRequest(url: server.url("/twice"))).0 == Data(count: 32_768))
    // As many members as one likes (RFC 1952 §2.2): each makes 321 bytes of one.
    func members(_ count: Int) -> Data { Data((0..<count).flatMap { _ in packed }) }
    server.route("/many", .body(members(256), headers: [("Content-Encoding", "gzip")]))
    #expect(try await loader.data(for: LoadRequest(url: server.url("/many"))).0.count == 4 << 20)
    server.route("/bomb", .body(members(2_000), headers: [("Content-Encoding", "gzip")]))
    let bomb = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/bomb"))) }
    #expect(bomb?.code == "protocolError" && "\(bomb.map { "\($0)" } ?? "")".contains("makes more than"))

    server.route("/cut", .body(packed.prefix(30), headers: [("Content-Encoding", "gzip")]))
    #expect(
      await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/cut"))) }?.code
        == "truncatedBody")
    server.route(
      "/damaged",
      .body(packed.prefix(20) + Data(repeating: 0xFF, count: 31), headers: [("Content-Encoding", "gzip")]))
    #expect(
      await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/damaged"))) }?.code
        == "protocolError")
    server.route("/raw", .body(packed.dropFirst(10).dropLast(8), headers: [("Content-Encoding", "deflate")]))
    #expect(try await loader.data(for: LoadRequest(url: server.url("/raw"))).0 == Data(count: 16_384))
    server.route("/other", .body(packed, headers: [("Content-Encoding", "aws-chunked")]))
    #expect(try await loader.data(for: LoadRequest(url: server.url("/other"))).0 == packed)
  }

  @Test(arguments: [(4, nil), (5, "protocolError"), (50, "protocolError")] as [(Int, String?)])
  func codingsAreFew(count: Int, code: String?) async throws {
    let codings = Array(repeating: "gzip", count: count)
    server.route("/line", .body(pattern(9), headers: [("Content-Encoding", codings.joined(separator: ", "))]))
    server.route("/lines", .body(pattern(9), headers: codings.map { ("Content-Encoding", $0) }))
    for path in ["/line", "/lines"] {
      let error = await loadingError {
        let (body, _) = try await loader.data(for: LoadRequest(url: server.url(path)))
        #expect(body == pattern(9))
      }
      #expect(error?.code == code)
    }
    await loader.settle()
    #expect(loader.statistics.active == 0)
  }

  @Test func thousandTransfersShareConnections() async throws {
    let bytes = pattern(2_000)
    server.route("/small", .body(bytes))
    let request = LoadRequest(url: server.url("/small"))
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<1_000 { group.addTask { try await loader.data(for: request).0 == bytes } }
      for try await same in group { #expect(same) }
    }
    #expect(server.requests.count == 1_000)
    #expect(server.connectionCount <= 6)
    #expect(loader.statistics.connectionsOpened == server.connectionCount)
    #expect(loader.statistics.completed == 1_000)
    #expect(loader.statistics.queued == 0)
  }

  @Test func bodyOutlivesLoader() async throws {
    let gate = Gate()
    server.route("/late", .gated([(gate, pattern(100))]))
    let url = server.url("/late")
    let response = try await CurlLoader().load(LoadRequest(url: url))
    gate.open()
    var data = Data()
    for try await chunk in response.body { data.append(chunk) }
    #expect(data == pattern(100))
  }

  @Test func secondConsumerIsRefused() async throws {
    server.route("/once", .body(pattern(10)))
    let response = try await loader.load(LoadRequest(url: server.url("/once")))
    for try await _ in response.body {}
    let error = await loadingError { for try await _ in response.body {} }
    #expect(error == .bodyAlreadyConsumed)
  }
}
