import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Servers are offered the formats that are decoded, and what they chose for one offer is not given for another.
@Suite("The Accept field of requests", .timeLimit(.minutes(1)))
struct AcceptFieldTests {
  private let server: ScriptedHTTPServer
  private let folder: CacheFolder
  private let memory = MemoryCache<CachedImage>(byteLimit: 64 << 20)

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try CacheFolder()
  }

  /// Coders for PNG that name other formats besides.
  private static func coders(_ formats: ImageFormat..., described: [ImageFormat] = []) -> CoderRegistry {
    var coders = CoderRegistry()
    coders.register(Naming(formats: described, describesOnly: true))
    coders.register(Naming(formats: formats, describesOnly: false))
    coders.register(PNGDecoder())
    return coders
  }

  private struct Naming: ImageDecoding {
    let formats: [ImageFormat]
    let describesOnly: Bool

    func format(of prefix: Data) -> ImageFormat? { nil }
    func refusal(of format: ImageFormat) -> ImagingError? {
      describesOnly ? .unsupportedFormat(format, reason: nil) : nil
    }
    func decode(
      _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
    ) throws(ImagingError) -> Image {
      throw .emptyInput
    }
  }

  private func pipeline(
    _ loader: any ImageLoading = Samples.loader,
    _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    var configuration = ImagePipeline.Configuration(
      loader: loader, memoryCache: memory, diskCache: folder.diskCache())
    change(&configuration)
    return ImagePipeline(configuration)
  }

  /// Answers each value of the field with a picture of another shade, fresh for a while.
  private func negotiate(_ path: String) {
    let shades = Lock([String: UInt8]())
    server.route(path) { request in
      let shade = shades.withLock { shades in
        let field = request[header: "Accept"] ?? "-"
        let shade = shades[field] ?? UInt8(shades.count + 1)
        shades[field] = shade
        return shade
      }
      guard let png = try? Samples.png(shade: shade) else { return .status(500) }
      return .resource(png)
    }
  }

  private func shade(_ pipeline: ImagePipeline, _ request: ImageRequest) async throws -> UInt8 {
    let image = try await pipeline.image(for: request)
    await pipeline.settle()
    return image.bitmap.withUnsafeBytes { $0[0] }
  }

  @Test("formats that are decoded are named, in a fixed order; those that are only described are not")
  func text() {
    func text(_ coders: CoderRegistry) -> String { ImagePipeline.AcceptField.text(for: coders) }
    #expect(text(Self.coders()) == "image/*,*/*;q=0.8")
    #expect(text(Self.coders(.tiff, .qoi)) == "image/*,*/*;q=0.8")
    #expect(text(Self.coders(.webp)) == "image/webp,image/*,*/*;q=0.8")
    #expect(text(Self.coders(.webp, .avif)) == "image/avif,image/webp,image/*,*/*;q=0.8")
    #expect(text(Self.coders(.webp, .jxl, .avif)) == "image/avif,image/jxl,image/webp,image/*,*/*;q=0.8")
    #expect(text(Self.coders(.webp, described: [.avif, .jxl])) == "image/webp,image/*,*/*;q=0.8")
    #expect(text(.standard).hasSuffix("image/webp,image/*,*/*;q=0.8"))
    let isDecoded = CoderRegistry.standard.decodableFormats.contains(.avif)
    #expect(text(.standard).contains("image/avif") == isDecoded)
  }

  @Test("a server sees the field of the pipeline, unless the request or the loader has another one")
  func sent() async throws {
    server.route("/a.png", .resource(try Samples.png()))
    var request = ImageRequest(url: server.url("/a.png"))
    request.cachePolicy = .reload
    var curl = CurlLoader.Configuration()
    curl.headers[.accept] = "image/gif"
    let configured = CurlLoader(curl)
    curl.headers = [:]
    let silent = CurlLoader(curl)
    let named = "image/avif,image/*,*/*;q=0.8"

    _ = try await pipeline().image(for: request)
    _ = try await pipeline { $0.coders = Self.coders(.avif) }.image(for: request)
    _ = try await pipeline { $0.accept = .loader }.image(for: request)
    _ = try await pipeline { $0.accept = .value("image/png") }.image(for: request)
    _ = try await pipeline(configured).image(for: request)
    _ = try await pipeline(silent).image(for: request)
    var own = request
    own.headers[.accept] = "image/jpeg"
    _ = try await pipeline { $0.accept = .value("image/png") }.image(for: own)
    own = request
    own.coders = ImageRequest.Identified("mine", Self.coders(.avif))
    _ = try await pipeline().image(for: own)
    _ = try await pipeline { $0.accept = .value("image/png") }.image(for: own)
    _ = try await pipeline { $0.coders = Self.coders(.avif) }.info(for: request)

    let seen = server.requests(for: "/a.png").map { $0[header: "Accept"] }
    #expect(
      seen == [
        ImagePipeline.AcceptField.text(for: .standard), named, "image/*,*/*;q=0.8", "image/png", "image/gif",
        nil,
        "image/jpeg", named, "image/png", named,
      ])
  }

  @Test("the field goes along with redirects to other origins, and to fallbacks")
  func otherOrigins() async throws {
    let other = try ScriptedHTTPServer()
    other.route("/b.png", .resource(try Samples.png()))
    server.route("/a.png", .redirect(to: other.url("/b.png").absoluteString))
    server.route("/missing.png", .status(404))
    let http = LoaderGroup.standard.adding(HTTPLoader(transport: CurlLoader.shared))
    let pipeline = pipeline(http) { $0.accept = .value("image/png") }
    _ = try await pipeline.image(for: ImageRequest(url: server.url("/a.png")))
    var request = ImageRequest(url: server.url("/missing.png"))
    request.fallbacks = [other.url("/b.png")]
    _ = try await pipeline.image(for: request)
    #expect(other.requests(for: "/b.png").map { $0[header: "Accept"] } == ["image/png", "image/png"])
  }

  @Test("answers to different fields are never shared, in memory and on disk; those to equal fields are")
  func keys() async throws {
    negotiate("/a")
    let request = ImageRequest(url: server.url("/a"))
    let fields: [ImagePipeline.AcceptField] = [
      .decodableFormats, .loader, .value("image/png"), .value("image/gif"),
    ]
    for clearsMemory in [false, true] {
      for (index, field) in fields.enumerated() {
        let pipeline = pipeline { $0.accept = field }
        #expect(try await shade(pipeline, request) == UInt8(index + 1))
        var small = request
        small.thumbnail = .fit(width: 4, height: 4)
        #expect(try await shade(pipeline, small) == UInt8(index + 1))
      }
      if clearsMemory { memory.removeAll() }
    }
    #expect(server.requests(for: "/a").count == fields.count)
    // The text of the coders' field is the same as this one.
    let text = ImagePipeline.AcceptField.text(for: .standard)
    #expect(try await shade(pipeline { $0.accept = .value(text) }, request) == 1)
    #expect(server.requests(for: "/a").count == fields.count)
  }

  @Test("coders of a request have their own field: other formats share no original, the same formats do")
  func codersOfRequests() async throws {
    negotiate("/a")
    let pipeline = pipeline { $0.coders = Self.coders(.avif) }
    var request = ImageRequest(url: server.url("/a"))
    #expect(try await shade(pipeline, request) == 1)
    request.coders = ImageRequest.Identified("the same", Self.coders(.avif))
    #expect(try await shade(pipeline, request) == 1)
    request.coders = ImageRequest.Identified("more", Self.coders(.avif, .webp))
    #expect(try await shade(pipeline, request) == 2)
    #expect(server.requests(for: "/a").count == 2)
  }

  @Test("requests that are sent without the field have the same keys in all pipelines")
  func unmarked() throws {
    let scope = try #require(
      PipelineScope(loader: Samples.loader, coders: .standard, accept: .value("image/png")))
    let remote = ImageRequest(url: server.url("/a"))
    #expect(remote.scoped(to: scope).key != remote.key)
    var own = remote
    own.headers[.accept] = "image/jpeg"
    let local = [
      ImageRequest(url: URL(filePath: "/a.png")), ImageRequest(source: .data(Data([1]), id: "a")), own,
    ]
    for request in local {
      #expect(request.scoped(to: scope).key == request.key)
      #expect(request.scoped(to: scope).sourceKey == request.sourceKey)
      #expect(request.scoped(to: scope).identity.accept == nil)
    }
    #expect(
      PipelineScope(loader: Samples.loader, coders: .standard, accept: .decodableFormats) == nil,
      "the usual pipeline has the keys of the request")
  }
}
