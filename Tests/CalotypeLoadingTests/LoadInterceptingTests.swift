import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import Testing

@Suite("Interceptors")
struct LoadInterceptingTests {
  private struct Nothing: LoadIntercepting {
    let identity = ""
  }

  /// Writes down that it was here, in the request and in the response.
  private struct Signing: LoadIntercepting {
    let name: String
    var identity: String { name }

    func request(_ request: LoadRequest) async throws -> LoadRequest {
      var request = request
      request.headers[values: .via].append(name)
      return request
    }

    func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse {
      var response = response
      response.headers[values: .via].append(name + " of " + request.headers[values: .via].joined())
      return response
    }
  }

  private struct Forbidding: LoadIntercepting {
    let error: any Error & Sendable
    let identity = ""
    func request(_ request: LoadRequest) async throws -> LoadRequest { throw error }
    func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse {
      throw error
    }
  }

  private struct Expired: Error, CustomStringConvertible {
    let description = "the token has expired"
  }

  private let request = LoadRequest(url: URL(filePath: "/a"))

  @Test func defaultsChangeNothing() async throws {
    #expect(try await request.intercepted(by: [Nothing()]) == request)
    let body = ScriptedBody(Data([1]), size: 1)
    let response = try await LoadResponse(body, expectedLength: 1).intercepted(by: [Nothing()], for: request)
    #expect(response.status == 200)
    #expect(response.expectedLength == 1)
    #expect(try await response.body.collected() == Data([1]))
  }

  @Test func order() async throws {
    let interceptors = ["a", "b", "c"].map(Signing.init)
    let sent = try await request.intercepted(by: interceptors)
    #expect(sent.headers[values: .via] == ["a", "b", "c"])
    let response = try await LoadResponse(ScriptedBody([])).intercepted(by: interceptors, for: sent)
    #expect(response.headers[values: .via] == ["c of abc", "b of abc", "a of abc"])
  }

  @Test func vetoes() async throws {
    let seen = Lock(0)
    struct Counting: LoadIntercepting {
      let seen: Lock<Int>
      let identity = ""
      func request(_ request: LoadRequest) async throws -> LoadRequest {
        seen.withLock { $0 += 1 }
        return request
      }
    }
    let url = try #require(request.source.url)
    let veto = LoadingError.vetoed(url, reason: "not on Sundays")
    #expect(
      await loadingError {
        _ = try await request.intercepted(by: [Forbidding(error: veto), Counting(seen: seen)])
      } == veto)
    #expect(seen.withLock { $0 } == 0)
    #expect(
      await loadingError { _ = try await request.intercepted(by: [Forbidding(error: Expired())]) }
        == .vetoed(url, reason: "the token has expired"))
    await #expect(throws: CancellationError.self) {
      try await request.intercepted(by: [Forbidding(error: CancellationError())])
    }
    let bytes = LoadRequest(source: .data(Data([1]), id: "x"))
    let error = await loadingError { _ = try await bytes.intercepted(by: [Forbidding(error: Expired())]) }
    #expect(error?.code == "vetoed")
    #expect(error?.description.contains("expired") == true)
  }

  @Test func refusedResponsesAreClosed() async throws {
    let body = ScriptedBody(Data([1]), size: 1)
    let error = await loadingError {
      _ = try await LoadResponse(body).intercepted(by: [Forbidding(error: Expired())], for: request)
    }
    #expect(error?.code == "vetoed")
    #expect(body.cancelled > 0)
    #expect(body.asked == 0)
  }

  @Test func statuses() async throws {
    struct Taking: LoadIntercepting {
      let status: Int
      var identity: String { "taking \(status)" }
      func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse {
        guard response.status == status else { return response }
        var response = response
        response.status = 200
        return response
      }
    }
    var conditional = request
    conditional.validators = LoadRequest.Validators(etag: "\"1\"")
    let same = LoadResponse(ScriptedBody([]), status: 304)
    #expect(try await same.intercepted(by: [Taking(status: 404)], for: conditional).status == 304)
    for status in [200, 204, 299, nil] {
      let response = LoadResponse(ScriptedBody([]), status: status)
      #expect(try await response.intercepted(by: [Taking(status: 404)], for: request).status == status)
    }
    let placeholder = LoadResponse(ScriptedBody(Data([1]), size: 1), status: 404)
    let taken = try await placeholder.intercepted(by: [Taking(status: 404)], for: request)
    #expect(taken.status == 200)
    #expect(try await taken.body.collected() == Data([1]))
    for status in [100, 199, 300, 304, 404, 500] {
      let response = LoadResponse(ScriptedBody([]), status: status)
      let error = await loadingError {
        _ = try await response.intercepted(by: [Taking(status: 410)], for: request)
      }
      #expect(error == .httpStatus(try #require(request.source.url), status: status, headers: HTTPFields()))
    }
  }
}
