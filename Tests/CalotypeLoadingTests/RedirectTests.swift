import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Redirects", .timeLimit(.minutes(1)))
struct RedirectTests {
  let server: ScriptedHTTPServer
  let loader = CurlLoader()

  init() throws {
    server = try ScriptedHTTPServer()
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func followed(status: Int) async throws {
    server.route("/old", .redirect(to: "/new?x=1", status: status))
    server.route("/new", .body(Data([1]), headers: [("X-Final", "yes")]))
    let (data, response) = try await loader.data(for: LoadRequest(url: server.url("/old")))
    #expect(data == Data([1]))
    #expect(response.url == server.url("/new?x=1"))
    #expect(response.headers[.location] == nil)
    #expect(response.headers.count == 2)
    #expect(server.requests(for: "/new").first?.query == "x=1")
  }

  @Test func limit() async throws {
    server.route("/loop", .redirect(to: "/loop"))
    let error = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/loop"))) }
    #expect(error == .tooManyRedirects(server.url("/loop"), limit: 10))
    #expect(server.requests.count == 11)
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/a", "gopher://127.0.0.1/a"])
  func otherProtocolsAreRefused(location: String) async throws {
    server.route("/out", .redirect(to: location))
    let error = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/out"))) }
    #expect(error?.code == "redirectRefused")
  }

  @Test func credentialsStayWithTheirHost() async throws {
    let other = try ScriptedHTTPServer()
    other.route("/there", .body(Data([1])))
    server.route("/here", .body(Data([1])))
    server.route("/out", .redirect(to: other.url("/there", host: "localhost").absoluteString))
    server.route("/in", .redirect(to: "/here"))
    for path in ["/out", "/in"] {
      var request = LoadRequest(url: server.url(path))
      request.headers[.authorization] = "Bearer secret"
      request.headers[.cookie] = "session=1"
      _ = try await loader.data(for: request)
    }
    let there = try #require(other.requests.first)
    #expect(there[header: "Authorization"] == nil)
    #expect(there[header: "Cookie"] == nil)
    let here = try #require(server.requests(for: "/here").first)
    #expect(here[header: "Authorization"] == "Bearer secret")
    #expect(here[header: "Cookie"] == "session=1")
  }

  @Test func errorBehindARedirect() async throws {
    server.route("/old", .redirect(to: "/gone"))
    let error = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/old"))) }
    guard case .httpStatus(let url, 404, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(url == server.url("/old"))
  }
}
