import FoundationEssentials
import Testing

@testable import CalotypeLoading

@Suite("Data URLs, bytes and groups")
struct DataLoaderTests {
  private func parse(_ text: String, byteLimit: Int = 1_000) -> Result<DataURL, DataURL.Failure> {
    do throws(DataURL.Failure) { return .success(try DataURL(text, byteLimit: byteLimit)) } catch {
      return .failure(error)
    }
  }

  @Test(
    arguments: [
      ("data:image/png;base64,AQID", "image/png", [1, 2, 3]),
      ("data:image/png;BASE64,AQIDBA==", "image/png", [1, 2, 3, 4]),
      ("data:image/png;base64,AQIDBA", "image/png", [1, 2, 3, 4]),
      ("data:image/png;base64,AQ%49D%42A%3d%3D", "image/png", [1, 2, 3, 4]),
      ("data:image/png;base64, A Q\nI D%0A", "image/png", [1, 2, 3]),
      ("DATA:;base64,AQID", "text/plain;charset=US-ASCII", [1, 2, 3]),
      ("data:,a%20b%2Fc", "text/plain;charset=US-ASCII", [97, 32, 98, 47, 99]),
      ("data:;charset=utf-8,a", "text/plain;charset=utf-8", [97]),
      ("data:text/x;a=b;c=d;base64,AQID", "text/x;a=b;c=d", [1, 2, 3]),
      ("data:image/svg+xml,%3Csvg/%3E#frag", "image/svg+xml", [60, 115, 118, 103, 47, 62]),
      ("data:,a,b", "text/plain;charset=US-ASCII", [97, 44, 98]),
      ("data:,", "text/plain;charset=US-ASCII", []),
    ] as [(String, String, [UInt8])])
  func wellFormed(text: String, type: String, bytes: [UInt8]) throws {
    let url = try parse(text).get()
    #expect(url.mediaType == type)
    #expect(Array(url.data) == bytes)
  }

  @Test(arguments: [
    "data:image/png;base64", "data:", "data:,%", "data:,%4", "data:,%zz", "data:;base64,A",
    "data:;base64,AQI=D",
    "data:;base64,AQ=", "data:;base64,A*ID", "data:;base64,====", "data:;base64,AQID\u{0}",
  ])
  func malformed(text: String) throws {
    guard case .failure(.malformed(let reason)) = parse(text) else {
      Issue.record("accepted \(text)")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func limits() throws {
    #expect(throws: DataURL.Failure.self) { try DataURL("data:,abcd", byteLimit: 3) }
    #expect(try DataURL("data:,a%20c", byteLimit: 3).data.count == 3)
    #expect(throws: DataURL.Failure.tooLarge(4)) { try DataURL("data:;base64,AQIDBA==", byteLimit: 3) }
    #expect(try DataURL("data:;base64,AQIDBA==", byteLimit: 4).data.count == 4)
    let long = "data:;base64," + String(repeating: "AQID", count: 10_000)
    #expect(try DataURL(long, byteLimit: 30_000).data.count == 30_000)
    #expect(throws: DataURL.Failure.self) { try DataURL(long, byteLimit: 29_999) }
  }

  @Test func loadsThroughTheGroup() async throws {
    let group = LoaderGroup.standard
    let url = try #require(URL(string: "data:image/gif;base64,R0lG"))
    let (data, response) = try await group.data(for: LoadRequest(url: url))
    #expect(data == Data("GIF".utf8))
    #expect(response.contentType == "image/gif")
    #expect(response.expectedLength == 3)
    let bytes = LoadRequest(source: .data(Data([1, 2]), id: "x"))
    #expect(try await group.data(for: bytes).0 == Data([1, 2]))
    let broken = try #require(URL(string: "data:image/gif;base64,R"))
    await #expect(throws: LoadingError.invalidDataURL(broken, reason: "its base64 has a dangling character"))
    {
      try await group.data(for: LoadRequest(url: broken))
    }
    let none = LoadRequest(source: .data(Data(), id: "x"))
    await #expect(throws: LoadingError.emptyBody(none.source)) { try await group.data(for: none) }
    let big = LoadRequest(source: .data(Data(count: 9), id: "x"), byteLimit: 8)
    await #expect(throws: LoadingError.tooLarge(big.source, limit: 8, declared: 9)) {
      try await group.data(for: big)
    }
    let unknown = try #require(URL(string: "bucket:a"))
    await #expect(throws: LoadingError.unsupportedScheme(.url(unknown))) {
      try await group.load(LoadRequest(url: unknown))
    }
  }

  private struct Fixed: ImageLoading {
    let byte: UInt8
    let chunks: Int
    func accepts(_ source: ImageSource) -> Bool { source.url?.scheme == "data" }
    func load(_ request: LoadRequest) async throws -> LoadResponse {
      LoadResponse(
        url: URL(filePath: "/x"), expectedLength: 1_000_000,
        body: LoadBody(Array(repeating: Data([byte]), count: chunks)))
    }
  }

  @Test func lastAddedWins() async throws {
    let url = try #require(URL(string: "data:,a"))
    var group = LoaderGroup.standard
    group.add(Fixed(byte: 1, chunks: 3))
    #expect(try await group.data(for: LoadRequest(url: url, byteLimit: 1_000_000)).0 == Data([1, 1, 1]))
    group = group.adding(Fixed(byte: 2, chunks: 1))
    #expect(try await group.data(for: LoadRequest(url: url)).0 == Data([2]))
    #expect(group.accepts(.data(Data(), id: "")))
    // The collector has limits of its own: a loader may forget its.
    await #expect(throws: LoadingError.tooLarge(.url(url), limit: 10, declared: 1_000_000)) {
      try await group.data(for: LoadRequest(url: url, byteLimit: 10))
    }
  }

  @Test func identityOfSources() throws {
    let url = try #require(URL(string: "http://a/b"))
    #expect(ImageSource.data(Data([1]), id: "a") == .data(Data([2]), id: "a"))
    #expect(ImageSource.data(Data([1]), id: "a") != .data(Data([1]), id: "b"))
    #expect(ImageSource.url(url) != .data(Data(), id: "http://a/b"))
    #expect(Set([ImageSource.data(Data([1]), id: "a"), .data(Data([2]), id: "a")]).count == 1)
    var other = LoadRequest(url: url)
    other.headers[.accept] = "image/webp"
    #expect(other != LoadRequest(url: url))
  }
}
