import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

/// Bytes that one loader delivered are found only through loaders that would deliver the same.
@Suite("Identities of loaders", .timeLimit(.minutes(1)))
struct LoaderIdentityTests {
  private let folder: CacheFolder
  private let memory = MemoryCache<CachedImage>(byteLimit: 64 << 20)
  private let url: URL

  init() throws {
    folder = try CacheFolder()
    url = try #require(URL(string: "http://images.test/a.png"))
  }

  private func pipeline(_ loader: any ImageLoading) -> ImagePipeline {
    ImagePipeline(.init(loader: loader, memoryCache: memory, diskCache: folder.diskCache()))
  }

  private func shade(_ loader: any ImageLoading, _ request: ImageRequest) async throws -> UInt8 {
    let pipeline = pipeline(loader)
    let image = try await pipeline.image(for: request)
    await pipeline.settle()
    return image.bitmap.withUnsafeBytes { $0[0] }
  }

  /// Delivers another picture than the server's, and says so.
  private struct Replacing: BodyTransforming {
    let shade: UInt8
    var identity: String { "replacing(\(shade))" }

    func makeTransform(for response: LoadResponse) throws -> (any ChunkTransforming)? {
      Replacement(png: try Samples.png(shade: shade))
    }

    struct Replacement: ChunkTransforming {
      let png: Data
      mutating func transform(_ chunk: Data) -> Data { Data() }
      mutating func finish() -> Data { png }
    }
  }

  private struct Authorizing: LoadIntercepting {
    let credential: LoadRequest.Credential
    var identity: String { credential.digest }

    func request(_ request: LoadRequest) -> LoadRequest {
      var request = request
      request.credential = credential
      return request
    }
  }

  private func fake() throws -> FakeLoader {
    let loader = FakeLoader()
    let (plain, ann, bob) = (try Samples.png(), try Samples.png(shade: 10), try Samples.png(shade: 20))
    loader.route(url) { request in
      let body =
        switch request.credential {
        case .bearer("ann"): ann
        case .bearer("bob"): bob
        default: plain
        }
      return .body(body, headers: [.cacheControl: "max-age=100"])
    }
    return loader
  }

  @Test("body transforms are part of the keys, in memory and on disk", arguments: [true, false])
  func bodyTransforms(clearsMemory: Bool) async throws {
    let fake = try fake()
    for shade in [nil, 1, 2, 1, nil] as [UInt8?] {
      var configuration = HTTPLoader.Configuration()
      if let shade { configuration.bodyTransforms = [Replacing(shade: shade)] }
      let loader = HTTPLoader(configuration, transport: fake)
      #expect(try await self.shade(loader, ImageRequest(url: url)) == shade ?? 128)
      if clearsMemory { memory.removeAll() }
    }
    #expect(fake.requests.count == 3)
  }

  @Test("credentials of interceptors are part of the keys, and do not stand in them")
  func interceptors() async throws {
    let fake = try fake()
    for (token, shade) in [(nil, 128), ("ann", 10), ("bob", 20), ("ann", 10), (nil, 128)]
      as [(String?, UInt8)]
    {
      var configuration = HTTPLoader.Configuration()
      if let token { configuration.interceptors = [Authorizing(credential: .bearer(token))] }
      let loader = HTTPLoader(configuration, transport: fake)
      #expect(try await self.shade(loader, ImageRequest(url: url)) == shade)
    }
    #expect(fake.requests.count == 3)
    let entries = try await folder.diskCache().entries()
    #expect(entries.count == 3)
    #expect(entries.allSatisfy { !$0.key.contains("ann") && !$0.key.contains("bob") })
  }

  @Test("the identity of a loader that a request names is part of its keys")
  func namedLoaders() async throws {
    let fake = try fake()
    var keys: Set<CacheKey> = []
    for shade in [1, 2] as [UInt8] {
      var configuration = HTTPLoader.Configuration()
      configuration.bodyTransforms = [Replacing(shade: shade)]
      var request = ImageRequest(url: url)
      request.loader = ImageRequest.Identified("mine", HTTPLoader(configuration, transport: fake))
      keys.insert(request.key)
      #expect(try await self.shade(fake, request) == shade)
    }
    #expect(keys.count == 2)
  }

  @Test("pipelines whose loaders have no identity have the keys of the request")
  func unscoped() async throws {
    let fake = try fake()
    _ = try await shade(fake, ImageRequest(url: url))
    #expect(memory.value(for: ImageRequest(url: url).key) != nil)
    #expect(LoaderScope(LoaderGroup.standard) == nil)
    #expect(LoaderScope(LoaderGroup.forUntrustedURLs()) != nil)
  }

  @Test("a request is in the scope of the pipeline that has it, whichever had it before")
  func changingScopes() throws {
    let request = ImageRequest(url: url)
    let scopes = [AddressPolicy.public, .public.allowing(host: "a")].map { policy in
      var configuration = CurlLoader.Configuration()
      configuration.addressPolicy = policy
      return PipelineScope(loader: CurlLoader(configuration), coders: .standard, accept: .decodableFormats)
    }
    let (first, second) = (try #require(scopes[0]), try #require(scopes[1]))
    let keys = [first, second, first].map { request.scoped(to: $0).key }
    #expect(keys[0] == keys[2] && keys[0] != keys[1] && keys[0] != request.key)
    #expect(request.scoped(to: first).scoped(to: second).key == keys[1])
    // What is changed afterwards stays in the scope.
    var small = request.scoped(to: first)
    small.thumbnail = .fit(width: 4, height: 4)
    var other = request
    other.thumbnail = .fit(width: 4, height: 4)
    #expect(small.key == other.scoped(to: first).key)
  }

  // MARK: What may be kept

  @Test("images of other schemes are kept nowhere, unless their loader says for how long")
  func otherSchemes() async throws {
    let bytes = try Samples.png()
    let count = Lock(0)
    var loader = ClosureLoader(scheme: "bucket") { _ in
      count.withLock { $0 += 1 }
      return bytes
    }
    let request = ImageRequest(url: try #require(URL(string: "bucket:///a.png")))
    for expected in 1...2 {
      _ = try await shade(loader, request)
      #expect(count.withLock { $0 } == expected)
      #expect(memory.statistics.count == 0)
    }
    #expect(try await folder.diskCache().entries().isEmpty)
    loader.cachingRule = .lifetime(.seconds(3_600))
    for _ in 0..<3 {
      _ = try await shade(loader, request)
      memory.removeAll()
    }
    #expect(count.withLock { $0 } == 3)
    let entry = try #require(try await folder.diskCache().entries().first)
    let left = try #require(entry.metadata.expires).timeIntervalSince(Date())
    #expect(left > 3_500 && left <= 3_600)
  }

  @Test("a lifetime ends, in memory and on disk")
  func lifetimes() async throws {
    let bytes = try Samples.png()
    let count = Lock(0)
    var loader = ClosureLoader(scheme: "bucket") { _ in
      count.withLock { $0 += 1 }
      return bytes
    }
    loader.cachingRule = .lifetime(.zero)
    let request = ImageRequest(url: try #require(URL(string: "bucket:///a.png")))
    for _ in 0..<3 { _ = try await shade(loader, request) }
    #expect(count.withLock { $0 } == 3)
  }
}
