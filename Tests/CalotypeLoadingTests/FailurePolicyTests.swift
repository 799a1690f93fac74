import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

@Suite("What loads make of earlier failures", .timeLimit(.minutes(1)))
struct FailurePolicyTests {
  let server: ScriptedHTTPServer
  let clock = ManualTime()
  let loader: HTTPLoader

  init() throws {
    server = try ScriptedHTTPServer()
    loader = Waits(clock).loader()
  }

  private func code(_ request: LoadRequest, _ loader: (any ImageLoading)? = nil) async -> String? {
    await loadingError { _ = try await (loader ?? self.loader).data(for: request) }?.code
  }

  private func request(_ policy: FailurePolicy = .respect) -> LoadRequest {
    var request = LoadRequest(url: server.url("/a"))
    request.failurePolicy = policy
    return request
  }

  @Test func failuresAreRespectedForTheirTime() async throws {
    server.route("/a", .status(404))
    #expect(await code(request()) == "httpStatus")
    #expect(await code(request()) == "recentlyFailed")
    #expect(server.requests.count == 1)
    clock.advance(by: .seconds(60))
    #expect(await code(request()) == "httpStatus")
    #expect(server.requests.count == 2)
    // The second failure in a row counts twice.
    clock.advance(by: .seconds(119))
    #expect(await code(request()) == "recentlyFailed")
    #expect(server.requests.count == 2 && loader.statistics.refusedByMemory == 2)
  }

  @Test func whoIgnoresThemAsks() async throws {
    server.route("/a", .status(404))
    #expect(await code(request()) == "httpStatus")
    clock.advance(by: .seconds(59))
    #expect(await code(request(.ignore)) == "httpStatus")
    #expect(server.requests.count == 2)
    // It stands as it was: not longer, and not forgotten.
    #expect(await code(request()) == "recentlyFailed")
    clock.advance(by: .seconds(1))
    server.route("/a", .body(Data([1])))
    #expect(await code(request()) == nil)
  }

  @Test func aSuccessOfWhoIgnoresThemForgets() async throws {
    server.route("/a", .status(404))
    #expect(await code(request()) == "httpStatus")
    server.route("/a", .body(Data([1])))
    #expect(await code(request()) == "recentlyFailed")
    #expect(await code(request(.ignore)) == nil)
    #expect(loader.configuration.failureMemory?.count == 0)
    #expect(await code(request()) == nil)
    #expect(server.requests.count == 3)
  }

  @Test func whoResetsBeginsAnew() async throws {
    server.route("/a", .status(404))
    #expect(await code(request()) == "httpStatus")
    clock.advance(by: .seconds(60))
    #expect(await code(request()) == "httpStatus")
    #expect(await code(request(.reset)) == "httpStatus")
    #expect(server.requests.count == 3)
    // As after the first failure, not the third.
    #expect(loader.configuration.failureMemory?.entries.map(\.count) == [1])
    clock.advance(by: .seconds(60))
    #expect(await code(request()) == "httpStatus")
  }

  /// What was forgotten stays so when the answer is no verdict on the source.
  @Test func whoResetsForgetsBeforeAsking() async throws {
    server.route("/a", .status(404))
    #expect(await code(request()) == "httpStatus")
    server.route("/a", .status(403))
    #expect(await code(request(.reset)) == "httpStatus")
    #expect(loader.configuration.failureMemory?.count == 0)
  }

  @Test func appliesToFallbacks() async throws {
    server.route("/a", .status(404))
    server.route("/b", .status(404))
    var request = request()
    request.fallbacks = [server.url("/b")]
    #expect(await code(request) == "httpStatus")
    #expect(await code(request) == "recentlyFailed")
    #expect(server.requests.count == 2)
    request.failurePolicy = .ignore
    server.route("/b", .body(Data([1])))
    #expect(await code(request) == nil)
    #expect(server.requests.map(\.path) == ["/a", "/b", "/a", "/b"])
  }

  @Test func nothingNewIsASuccess() async throws {
    server.route("/a", .status(404))
    var conditional = request()
    conditional.headers[.ifNoneMatch] = "\"1\""
    #expect(await code(conditional) == "httpStatus")
    server.route("/a", ScriptedReply([.head(304, [("ETag", "\"1\"")])]))
    conditional.failurePolicy = .ignore
    let response = try await loader.load(conditional)
    #expect(response.isNotModified && loader.configuration.failureMemory?.count == 0)
  }

  @Test func rejectedBytesAreNotLoadedAgainAtOnce() async throws {
    server.route("/a", .body(Data([1])))
    #expect(await code(request()) == nil)
    loader.reject(request(), code: "corrupt", message: "no image")
    let error = await loadingError { _ = try await loader.data(for: request()) }
    #expect(
      error == .recentlyFailed(request().source, code: "corrupt", retryAfter: .seconds(60)))
    #expect(loader.configuration.failureMemory?.failure(for: request())?.message == "no image")
    #expect(server.requests.count == 1)
    #expect(await code(request(.ignore)) == nil)
    #expect(server.requests.count == 2)
    loader.reject(request(), code: "corrupt", message: "no image")
    clock.advance(by: .seconds(60))
    #expect(await code(request()) == nil)
    #expect(server.requests.count == 3)
  }

  @Test func groupsTellTheLoaderThatIsResponsible() async throws {
    server.route("/a", .body(Data([1])))
    let other = Waits(clock).loader()
    let group = LoaderGroup([
      other, loader, ClosureLoader(scheme: "bucket", data: { _ in Data([1]) }),
    ])
    group.reject(request(), code: "corrupt", message: "no image")
    #expect(loader.configuration.failureMemory?.count == 1)
    #expect(other.configuration.failureMemory?.count == 0)
    #expect(await code(request(), group) == "recentlyFailed")
    // To nobody, and to somebody who does not care.
    group.reject(LoadRequest(source: .data(Data(), id: "x")), code: "corrupt", message: "no image")
    let bucket = LoadRequest(url: try #require(URL(string: "bucket:a")))
    group.reject(bucket, code: "corrupt", message: "no image")
    #expect(await code(bucket, group) == nil)
  }

  @Test func withoutAMemoryThereIsNothingToRemember() async throws {
    server.route("/a", .body(Data([1])))
    let loader = Waits(clock).loader { $0.failureMemory = nil }
    loader.reject(request(), code: "corrupt", message: "no image")
    for policy in FailurePolicy.allCases { #expect(await code(request(policy), loader) == nil) }
    #expect(server.requests.count == 3)
  }
}
