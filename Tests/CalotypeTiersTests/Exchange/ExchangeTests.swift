import CalotypeSupport
import CalotypeTestKit
import Foundation
import HTTPTypes
import Testing

@testable import CalotypeLoading

/// Requests with a method and a content on the loop of the loader.
@Suite("Exchanges", .timeLimit(.minutes(5)))
struct ExchangeTests {
  private static func request(
    _ url: URL, _ method: LoadRequest.Exchange.Method, _ content: [Data] = [], headLimit: Duration? = nil
  ) -> LoadRequest {
    var request = LoadRequest(url: url)
    request.exchange = LoadRequest.Exchange(method, content: content, headLimit: headLimit)
    return request
  }

  private static func body(_ response: LoadResponse) async throws -> Data {
    var data = Data()
    for try await chunk in response.body { data.append(chunk) }
    return data
  }

  @Test func contentsArriveAsTheyAre() async throws {
    let server = try ScriptedHTTPServer()
    defer { server.stop() }
    server.route("/o") { .body($0.body, status: 201) }
    let loader = CurlLoader()
    for method in [LoadRequest.Exchange.Method.put, .post] {
      for pieces in [[], [0], [1], [500, 0, 3], [700_000, 7, 300_000]] {
        let content = pieces.map { count in
          Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) })
        }
        let response = try await loader.load(Self.request(server.url("/o"), method, content))
        #expect(response.status == 201)
        #expect(try await Self.body(response) == content.reduce(Data(), +))
        let seen = try #require(server.requests.last)
        #expect(seen.method == method.rawValue)
        #expect(seen[header: "Content-Length"] == "\(pieces.reduce(0, +))")
        #expect(seen[header: "Expect"] == nil && seen[header: "Transfer-Encoding"] == nil)
      }
    }
    await loader.shutDown()
  }

  @Test func headAndDeleteHaveNoBody() async throws {
    let server = try ScriptedHTTPServer()
    defer { server.stop() }
    server.route("/o") { request in
      request.method == "HEAD"
        ? ScriptedReply([.head(200, [("Content-Length", "99999999999"), ("ETag", "\"a\"")])]) : .status(204)
    }
    let loader = CurlLoader()
    for _ in 0..<2 {
      let head = try await loader.load(Self.request(server.url("/o"), .head))
      #expect(head.status == 200 && head.headers[.eTag] == "\"a\"")
      #expect(try await Self.body(head).isEmpty)
      let delete = try await loader.load(Self.request(server.url("/o"), .delete))
      #expect(delete.status == 204)
      _ = try await Self.body(delete)
    }
    #expect(server.requests.map(\.method) == ["HEAD", "DELETE", "HEAD", "DELETE"])
    // One connection for all.
    #expect(server.connectionCount == 1)
    await loader.shutDown()
  }

  @Test func everyStatusIsAnAnswer() async throws {
    let server = try ScriptedHTTPServer()
    defer { server.stop() }
    let loader = HTTPLoader()
    for status in [200, 301, 307, 400, 403, 404, 412, 500, 503] {
      server.route("/o") { _ in .body(Data("text".utf8), status: status, headers: [("Location", "/other")]) }
      let response = try await loader.load(Self.request(server.url("/o"), .get))
      #expect(response.status == status)
      #expect(try await Self.body(response) == Data("text".utf8))
    }
    // Neither redirected nor retried.
    #expect(server.requests.count == 9)
  }

  @Test func aContentIsSentAgainOverAnotherConnection() async throws {
    let server = try ScriptedHTTPServer()
    defer { server.stop() }
    // The first connection is closed after its answer, which the client learns with the next request.
    server.route("/first") { _ in ScriptedReply([.head(200, [("Content-Length", "0")]), .close]) }
    server.route("/o") { .body($0.body) }
    let loader = CurlLoader()
    let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
    for _ in 0..<5 {
      _ = try await Self.body(loader.load(Self.request(server.url("/first"), .get)))
      let response = try await loader.load(Self.request(server.url("/o"), .put, [content]))
      #expect(try await Self.body(response) == content)
    }
    await loader.shutDown()
  }

  @Test func theHeaderHasADeadline() async throws {
    let server = try ScriptedHTTPServer()
    defer { server.stop() }
    server.route("/silent", .hang)
    // A header that comes byte by byte is no header.
    let start = Data("HTTP/1.1 200 OK\r\nX-Slow: ".utf8)
    server.route(
      "/drip", ScriptedReply([.bytes(start)] + (0..<200).map { _ in .drip(Data("a".utf8), .milliseconds(5)) })
    )
    let loader = CurlLoader()
    for path in ["/silent", "/drip"] {
      do {
        _ = try await loader.load(Self.request(server.url(path), .get, headLimit: .milliseconds(50)))
        Issue.record("\(path) answered")
      } catch let error as LoadingError {
        guard case .timedOut(_, _, let after) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(after == .milliseconds(50))
      }
    }
    await loader.shutDown()
  }

  @Test func cursorsGoBack() {
    var cursor = UploadCursor([Data([1, 2, 3]), Data(), Data([4, 5]).dropFirst(0)])
    func read(_ count: Int) -> [UInt8] {
      var buffer = [UInt8](repeating: 0, count: count)
      let filled = buffer.withUnsafeMutableBytes { cursor.read(into: $0) }
      return Array(buffer.prefix(filled))
    }
    #expect([read(2), read(2), read(9), read(9)] == [[1, 2], [3, 4], [5], []])
    for position in 0...5 {
      #expect(cursor.seek(to: position) == true)
      #expect(read(9) == Array([1, 2, 3, 4, 5].dropFirst(position)))
    }
    #expect(cursor.seek(to: 6) == false)
    #expect(cursor.seek(to: -1) == false)
  }

  @Test func timersWaitForContentAndHeader() {
    let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    var timer = TransferTimer(
      timeouts: LoadRequest.Timeouts(idle: .seconds(1)), submitted: start, started: start,
      headLimit: .seconds(5))
    timer.connected(at: start)
    // Sending is no silence of the server.
    for second in 1...4 { timer.sent(at: start.advanced(by: .seconds(second))) }
    #expect(timer.expired(at: start.advanced(by: .milliseconds(4_999))) == nil)
    #expect(timer.expired(at: start.advanced(by: .seconds(5))) == .idle)
    timer.headArrived()
    timer.sent(at: start.advanced(by: .seconds(5)))
    #expect(timer.expired(at: start.advanced(by: .milliseconds(5_999))) == nil)
    #expect(timer.expired(at: start.advanced(by: .seconds(6))) == .idle)
  }
}
