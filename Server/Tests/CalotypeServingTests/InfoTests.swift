import Calotype
import CalotypeAdmission
import CalotypeImaging
import CalotypeLoading
import CalotypeResults
import CalotypeSettings
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import CalotypeServing

/// `/info` without sockets, with an origin that counts the bytes that are read.
@Suite("Info", .timeLimit(.minutes(1)))
struct InfoTests {
  /// An origin of one picture, in pieces of 1 KiB.
  private final class Origin: Sendable {
    let data: Data
    let fields: HTTPFields
    private let state = Mutex((loads: 0, bytes: 0))

    init(_ data: Data, fields: HTTPFields = [.cacheControl: "max-age=60"]) {
      (self.data, self.fields) = (data, fields)
    }

    var loads: Int { state.withLock(\.loads) }
    /// The bytes that were read, in all transfers.
    var bytes: Int { state.withLock(\.bytes) }

    var loader: ClosureLoader {
      ClosureLoader(accepts: { $0.url != nil }) { [self] request in
        state.withLock { $0.loads += 1 }
        return LoadResponse(
          url: request.source.url ?? URL(filePath: "/"), status: 200, headers: fields,
          expectedLength: data.count, body: LoadBody(Pieces(self)))
      }
    }

    private final class Pieces: LoadBody.Producing {
      let origin: Origin
      let position = Mutex(0)

      init(_ origin: Origin) { self.origin = origin }

      var metrics: LoadResponse.Metrics? { nil }

      func next() async throws -> Data? {
        let start = position.withLock { position in
          defer { position += 1024 }
          return position
        }
        guard start < origin.data.count else { return nil }
        let piece = origin.data.dropFirst(start).prefix(1024)
        origin.state.withLock { $0.bytes += piece.count }
        return Data(piece)
      }

      func cancel() {}
    }
  }

  private static func server(
    _ origin: Origin, _ change: (inout Settings) -> Void = { _ in }
  ) async throws -> ImageServer {
    var settings = Settings()
    settings.security.allowsUnsigned = true
    settings.server.timeout = .seconds(600)
    settings.concurrency.queueTime = .zero
    change(&settings)
    let parts = try await ServerParts(settings, loader: origin.loader)
    return try ImageServer(settings, parts: parts, canaryLimit: .seconds(60))
  }

  private static func get(
    _ server: ImageServer, _ options: String, method: HTTPRequest.Method = .get, fields: HTTPFields = [:]
  ) async -> ServedResponse {
    let path = "/info/unsafe/\(options.isEmpty ? "" : options + "/")plain/http://images.example/a"
    let request = HTTPRequest(
      method: method, scheme: "http", authority: "server", path: path, headerFields: fields)
    switch server.answer(to: request) {
    case .ready(let response): return response
    case .pending(let work): return await work()
    }
  }

  private static func text(_ server: ImageServer, _ options: String) async -> String {
    String(decoding: await get(server, options).data, as: UTF8.self)
  }

  /// A picture that no coder compresses well, half of it transparent if that is wanted.
  private static func picture(
    _ format: ImageFormat, width: Int = 300, height: Int = 200, transparent: Bool = false
  ) throws -> Data {
    var (pixels, seed) = ([UInt8](), UInt32(1))
    for index in 0..<width * height {
      seed = seed &* 1_664_525 &+ 1_013_904_223
      let isClear = transparent && index % width < width / 2
      pixels += [200, UInt8(seed >> 24) / 2, 40, isClear ? 0 : 255]
    }
    let bitmap = try Bitmap(rgba: pixels, width: width, height: height)
    return try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: EncodeOptions(format: format))
  }

  @Test func factsOfTheHeaderNeedTheFirstBytes() async throws {
    let data = try Self.picture(.jpeg, width: 1200, height: 800)
    let origin = Origin(data)
    let server = try await Self.server(origin)
    #expect(
      await Self.text(server, "cs:1/b:1/sf:1/pn:1/a:1")
        == """
        {"size":\(data.count),"format":"jpeg","mime_type":"image/jpeg","width":1200,"height":800,"orientation":1,\
        "colorspace":"srgb","bands":3,"sample_format":"uchar","pages_number":1,"alpha":{"present":false}}
        """)
    #expect(origin.bytes <= 8192 && data.count > 100_000)
    #expect(server.parts.pipeline.statistics.decodes == 0)
    // What is not wanted is not there.
    #expect(
      await Self.text(server, "s:0/f:0/exif:0/iptc:0/xmp:0")
        == #"{"width":1200,"height":800,"orientation":1}"#)
  }

  @Test func placesOfCropsNeedNoPixels() async throws {
    let origin = Origin(try Self.picture(.jpeg, width: 400, height: 200))
    let server = try await Self.server(origin)
    let text = await Self.text(server, "s:0/f:0/d:0/c:100:0.5:so:10:20")
    #expect(text == #"{"crop":{"left":0.4,"top":0.4,"width":0.25,"height":0.5}}"#)
    #expect(server.parts.pipeline.statistics.decodes == 0)
    #expect(
      await Self.text(server, "s:0/f:0/d:0/c:900:900")
        == #"{"crop":{"left":0.0,"top":0.0,"width":1.0,"height":1.0}}"#)
  }

  @Test func factsOfPixelsShareOneDecode() async throws {
    let origin = Origin(try Self.picture(.png, transparent: true))
    let server = try await Self.server(origin)
    let text = await Self.text(
      server, "s:0/f:0/d:0/exif:0/iptc:0/xmp:0/a:1:1/p:4/avg:1/dc:1/bh:4:3/th:1/phash:1/c:50:50:sm/chs:md5")
    for name in [
      #""alpha":{"present":true,"transparent":true}"#, #""palette":[{"R":"#, #""average":{"R":"#,
      #""dominant_colors":{"vibrant":{"R":"#, #""blurhash":"L"#, #""thumb_hash":""#, #""perceptual_hash":""#,
      #""crop":{"left":"#, #""hashsums":{"md5":""#,
    ] {
      #expect(text.contains(name), "\(name) is not in \(text)")
    }
    #expect(server.parts.pipeline.statistics.decodes == 1)
    #expect(server.parts.admission.statistics.counts.finished == 1)
  }

  @Test func transparentPixelsMayCount() async throws {
    let server = try await Self.server(Origin(try Self.picture(.png, transparent: true)))
    let only = "s:0/f:0/d:0/exif:0/iptc:0/xmp:0/"
    let visible = await Self.text(server, only + "avg:1")
    let all = await Self.text(server, only + "avg:1:0")
    #expect(visible.contains(#""A":255"#))
    #expect(all.contains(#""A":128"#) || all.contains(#""A":127"#), "\(all)")
    let opaque = try await Self.server(Origin(try Self.picture(.png)))
    #expect(await Self.text(opaque, only + "a:1:1") == #"{"alpha":{"present":false,"transparent":false}}"#)
    #expect(opaque.parts.pipeline.statistics.decodes == 0)
  }

  @Test func answersAreCachedAndShared() async throws {
    let origin = Origin(try Self.picture(.png))
    let server = try await Self.server(origin)
    let texts = await withTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { await Self.text(server, "avg:1") } }
      return await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(texts.count == 1 && origin.loads == 1)
    let response = await Self.get(server, "avg:1")
    #expect(response.fields[.contentType] == "application/json")
    #expect(response.fields[.cacheControl]?.contains("max-age") == true)
    let tag = try #require(response.fields[.eTag])
    #expect(await Self.get(server, "avg:1", fields: [.ifNoneMatch: tag]).status == .notModified)
    let head = await Self.get(server, "avg:1", method: .head)
    #expect(head.status == .ok && head.data.isEmpty && head.declaredLength == response.data.count)
    #expect(origin.loads == 1)
    // Another answer, from the bytes that the pipeline may have kept.
    #expect(await Self.get(server, "avg:0").fields[.eTag] != tag)
  }

  @Test func limitsAndErrorsAreThoseOfPictures() async throws {
    let origin = Origin(try Self.picture(.png))
    let small = try await Self.server(origin) { $0.limits.sourcePixels = 1000 }
    #expect(await Self.get(small, "").fields[.errorCode] == "sourceTooLarge")
    let short = try await Self.server(origin) { $0.limits.sourceBytes = 500 }
    #expect(await Self.get(short, "avg:1").status.code == 422)
    let none = try await Self.server(Origin(Data("this is no picture at all".utf8)))
    #expect(await Self.get(none, "").status.code == 422)
    let cut = try await Self.server(Origin(try Self.picture(.png).prefix(20)))
    #expect(await Self.get(cut, "").status.code == 422)
    let server = try await Self.server(origin)
    #expect(await Self.get(server, "w:100").status.code == 404)
    #expect(await Self.get(server, "hs:md5:" + String(repeating: "0", count: 32)).status.code == 422)
    #expect(await Self.get(server, "pg:1").status.code == 422)
    #expect(await Self.get(server, "avg:1", method: .post).status.code == 405)
    let secret = try await Self.server(origin) { $0.server.secrets = [Secret("token")] }
    #expect(await Self.get(secret, "").status.code == 403)
    #expect(await Self.get(secret, "", fields: [.authorization: "Bearer token"]).status == .ok)
    let listed = try await Self.server(origin) { $0.security.allowedSources = ["http://other.example/"] }
    #expect(await Self.get(listed, "").fields[.errorCode] == "sourceRefused")
  }

  @Test func presetsAndAllowedOptionsAreItsOwn() async throws {
    let server = try await Self.server(Origin(try Self.picture(.png))) {
      $0.presets.definitions = ["default=w:10"]
      $0.presets.infoDefinitions = ["default=s:0/f:0", "wide=d:0/pn:1"]
      $0.security.allowedInfoOptions = ["preset"]
      $0.security.allowedOptions = ["width"]
    }
    #expect(await Self.text(server, "") == #"{"width":300,"height":200,"orientation":1}"#)
    #expect(await Self.text(server, "pr:wide") == #"{"pages_number":1}"#)
    #expect(await Self.get(server, "avg:1").status.code == 404)
  }

  @Test func pagesAreThoseOfAnimations() async throws {
    let colors: [UInt8] = [10, 240]
    let frames = try colors.map { try Bitmap(rgb: [UInt8](repeating: $0, count: 300), width: 10, height: 10) }
    let animation = AnimationSource(frameCount: 2, loopCount: 0) { index throws(ImagingError) in
      .init(bitmap: frames[index], duration: .milliseconds(100))
    }
    let data = try CoderRegistry.standard.encode(animation, as: EncodeOptions(format: .gif))
    let server = try await Self.server(Origin(data))
    let only = "s:0/f:0/d:0/avg:1"
    #expect(
      await Self.text(server, only + "/pn:1")
        == #"{"pages_number":2,"average":{"R":10,"G":10,"B":10,"A":255}}"#)
    #expect(await Self.text(server, only + "/pg:1") == #"{"average":{"R":240,"G":240,"B":240,"A":255}}"#)
  }
}
