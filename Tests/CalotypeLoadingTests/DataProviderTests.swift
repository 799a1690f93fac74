import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeLoading

@Suite("Providers", .timeLimit(.minutes(1)))
struct DataProviderTests {
  private struct RowIsGone: Error, CustomStringConvertible {
    let description = "no such row"
  }

  private func source(
    _ id: String = "row 7", version: String? = nil, _ fetch: @escaping DataProvider.Fetch = { Data() }
  ) -> ImageSource {
    .provider(id: id, version: version, fetch: fetch)
  }

  @Test func bytes() async throws {
    let calls = Lock(0)
    let bytes = pattern(1_000)
    let source = source {
      calls.withLock { $0 += 1 }
      return bytes
    }
    for loader in [BytesLoader(), LoaderGroup.standard, LoaderGroup.forUntrustedURLs()] as [any ImageLoading]
    {
      let (data, response) = try await loader.data(for: LoadRequest(source: source))
      #expect(data == bytes)
      #expect(response.status == nil && response.expectedLength == 1_000)
    }
    #expect(calls.withLock { $0 } == 3)
  }

  @Test func identity() {
    #expect(source("a") == source("a"))
    #expect(source("a", version: "1") == source("a", version: "1"))
    #expect(source("a", version: "1") != source("a", version: "2"))
    #expect(source("a", version: "1") != source("a"))
    #expect(source("a") != source("b"))
    #expect(source("a") != .data(Data(), id: "a"))
    let sources = [source("a"), source("a", version: "1"), source("a", version: "1"), source("b")]
    #expect(Set(sources).count == 3)
    #expect(source("a").url == nil)
    #expect(source("a").description == "provider \"a\"")
    #expect(source("a", version: "1").description == "provider \"a\", version 1")
  }

  @Test func cachingRules() {
    for loader in [BytesLoader(), LoaderGroup.standard] as [any ImageLoading] {
      #expect(loader.cachingRule(for: source(version: "1")) == .version("1"))
      #expect(loader.cachingRule(for: source()) == .never)
    }
  }

  @Test func errors() async {
    let failing = source { throw RowIsGone() }
    let error = await loadingError {
      _ = try await BytesLoader().data(for: LoadRequest(source: failing))
    }
    #expect(error == .sourceFailed(failing, reason: "no such row"))
    #expect(error?.gatewayStatus == 502)
    #expect(error?.description.contains("no such row") == true)
    let own = LoadingError.fileNotFound(URL(filePath: "/a"))
    #expect(
      await loadingError {
        _ = try await BytesLoader().data(for: LoadRequest(source: source { throw own }))
      } == own)
    await #expect(throws: CancellationError.self) {
      try await BytesLoader().data(for: LoadRequest(source: source { throw CancellationError() }))
    }
    let empty = source()
    #expect(
      await loadingError { _ = try await BytesLoader().data(for: LoadRequest(source: empty)) }
        == .emptyBody(empty))
  }

  @Test func limits() async throws {
    let source = source { pattern(1_000) }
    var request = LoadRequest(source: source)
    request.byteLimit = 999
    let small = request
    #expect(
      await loadingError { _ = try await BytesLoader().load(small) }
        == .tooLarge(source, limit: 999, declared: 1_000))
    request.byteLimit = 1_000
    #expect(try await BytesLoader().data(for: request).0.count == 1_000)
  }

  @Test func cancellation() async throws {
    let (started, never) = (Gate(), Gate())
    let source = source {
      started.open()
      try await never.wait()
      return Data([1])
    }
    let task = Task { try await BytesLoader().data(for: LoadRequest(source: source)).0 }
    try await started.wait()
    task.cancel()
    #expect(await wasCancelled(task))
  }

  @Test func rememberedFailuresKeepNoClosure() async {
    final class Token: Sendable {}
    weak var held: Token?
    let memory = FailureMemory()
    func remember() {
      let token = Token()
      held = token
      let source = source(version: "1") { withExtendedLifetime(token) { Data() } }
      memory.record(code: "notAnImage", message: "", for: LoadRequest(source: source))
    }
    remember()
    #expect(held == nil)
    #expect(memory.failure(for: LoadRequest(source: source(version: "1")))?.code == "notAnImage")
    #expect(memory.failure(for: LoadRequest(source: source(version: "2"))) == nil)
  }
}
