import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Loaders made of closures", .timeLimit(.minutes(1)))
struct ClosureLoaderTests {
  private struct Broken: Error {}

  private func url(_ text: String) throws -> URL {
    try #require(URL(string: text))
  }

  @Test func bytesOfAScheme() async throws {
    let loader = ClosureLoader(scheme: "Bucket", data: { Data($0.path().utf8) })
    let url = try url("BUCKET:/a/b")
    #expect(loader.accepts(.url(url)))
    #expect(!loader.accepts(.data(Data(), id: "bucket:")))
    let (data, response) = try await LoaderGroup.standard.adding(loader).data(for: LoadRequest(url: url))
    #expect(data == Data("/a/b".utf8))
    #expect(response.url == url)
    #expect(response.expectedLength == 4)
    #expect(response.status == nil)
  }

  @Test func limits() async throws {
    let loader = ClosureLoader(scheme: "bucket", data: { _ in Data(count: 9) })
    let url = try url("bucket:a")
    #expect(try await loader.data(for: LoadRequest(url: url, byteLimit: 9)).0.count == 9)
    let error = await loadingError { _ = try await loader.load(LoadRequest(url: url, byteLimit: 8)) }
    #expect(error == .tooLarge(.url(url), limit: 8, declared: 9))
  }

  @Test func responses() async throws {
    let loader = ClosureLoader(scheme: "bucket") { request in
      LoadResponse(
        url: URL(filePath: "/b"), headers: request.headers, contentType: "image/png",
        body: LoadBody([Data([1]), Data([2])]))
    }
    var request = LoadRequest(url: try url("bucket:a"))
    request.headers[.accept] = "image/png"
    let (data, response) = try await loader.data(for: request)
    #expect(data == Data([1, 2]))
    #expect(response.headers[.accept] == "image/png")
    #expect(response.contentType == "image/png")
  }

  @Test func anySource() async throws {
    let loader = ClosureLoader(accepts: { $0.url == nil }) { request in
      LoadResponse(url: URL(filePath: "/b"), body: LoadBody([Data("\(request.source)".utf8)]))
    }
    let bytes = LoadRequest(source: .data(Data([1]), id: "x"))
    #expect(try await loader.data(for: bytes).0 == Data("data \"x\" (1 bytes)".utf8))
    let other = LoadRequest(url: try url("bucket:a"))
    #expect(await loadingError { _ = try await loader.load(other) } == .unsupportedScheme(other.source))
  }

  @Test func refusedSchemes() async throws {
    let loader = ClosureLoader(scheme: "bucket", data: { _ in Data([1]) })
    for text in ["buckets:a", "buck:a", "file:///bucket:a", "bucket"] {
      let request = LoadRequest(url: try url(text))
      #expect(!loader.accepts(request.source))
      #expect(await loadingError { _ = try await loader.load(request) } == .unsupportedScheme(request.source))
    }
  }

  @Test func errorsAndCancellation() async throws {
    let request = LoadRequest(url: try url("bucket:a"))
    let broken = ClosureLoader(scheme: "bucket", data: { _ in throw Broken() })
    await #expect(throws: Broken.self) { try await broken.load(request) }
    let called = Gate()
    let waiting = ClosureLoader(
      scheme: "bucket",
      data: { _ in
        called.open()
        try await Gate().wait()
        return Data()
      })
    let task = Task { try await waiting.load(request).expectedLength }
    try await called.wait()
    task.cancel()
    #expect(await wasCancelled(task))
    let never = ClosureLoader(
      scheme: "bucket",
      data: { _ in
        Issue.record("called for a cancelled task")
        return Data()
      })
    let gate = Gate()
    let late = Task {
      try? await gate.wait()
      return try await never.load(request).expectedLength
    }
    late.cancel()
    #expect(await wasCancelled(late))
  }
}
