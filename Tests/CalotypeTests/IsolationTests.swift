import Calotype
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

/// Nobody is ever shown what was meant for somebody else.
@Suite("Identities", .timeLimit(.minutes(5)))
struct IsolationTests {
  @Test(
    "random headers, credentials and partitions: each caller gets its own bytes, in flight, from memory and from disk"
  )
  func randomIdentities() async throws {
    let server = try ScriptedHTTPServer()
    // The picture says who asked: a shade for each combination of what the server sees.
    let shades = Lock([String: UInt8]())
    server.route("/private.png") { request in
      let who = ["Authorization", "Cookie", "Accept", "X-Tenant", "Accept-Language"]
        .map { request[header: $0] ?? "-" }.joined(separator: "|")
      let shade = shades.withLock { shades in
        if let shade = shades[who] { return shade }
        let shade = UInt8(truncatingIfNeeded: shades.count &+ 1)
        shades[who] = shade
        return shade
      }
      guard let png = try? Samples.png(shade: shade) else { return .status(500) }
      return .resource(png)
    }
    var random = SeededGenerator(seed: UInt64.random(in: 0 ... .max))
    let values: [String?] = [nil, "a", "b"]
    let requests = (0..<600).map { _ -> (request: ImageRequest, who: String) in
      var request = ImageRequest(url: server.url("/private.png"))
      func pick() -> String? { values.randomElement(using: &random) ?? nil }
      let (cookie, tenant, language) = (pick(), pick(), pick())
      request.headers[.cookie] = cookie
      if let tenant, let name = HTTPField.Name("X-Tenant") { request.headers[name] = tenant }
      request.headers[.acceptLanguage] = language
      var authorization: String?
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        authorization = pick().map { "Bearer \($0)" }
        request.headers[.authorization] = authorization
      case 1:
        if let token = pick() {
          request.credential = .bearer(token)
          authorization = "Bearer \(token)"
        }
      default: break
      }
      // Partitions are not seen by the server, and still share nothing.
      request.partition = pick()
      request.headers[.cacheControl] = Bool.random(using: &random) ? "max-stale" : nil
      if Bool.random(using: &random) { request.thumbnail = .fit(width: 4, height: 4) }
      request.cachePolicy =
        [.http, .ignoreHTTPFreshness, .staleWhileRevalidate, .reload].randomElement(using: &random) ?? .http
      let accept = ImagePipeline.AcceptField.text(for: .standard)
      let who = [authorization ?? "-", cookie ?? "-", accept, tenant ?? "-", language ?? "-"]
        .joined(separator: "|")
      return (request, who)
    }
    let folder = try CacheFolder()
    for round in 0..<3 {
      // The second time from memory and disk, the third from disk.
      let pipeline = ImagePipeline.isolated(disk: folder.diskCache())
      try await withThrowingTaskGroup(of: (String, UInt8).self) { group in
        for (request, who) in requests {
          group.addTask {
            let image = try await pipeline.image(for: request)
            return (who, image.bitmap.withUnsafeBytes { $0[0] })
          }
        }
        for try await (who, shade) in group {
          let expected = shades.withLock { $0[who] }
          #expect(expected == shade, "\(who) in round \(round)")
        }
      }
      await pipeline.settle()
    }
    #expect(shades.withLock { $0.count } > 20)
    let partitions = Set(requests.map { "\($0.who) \($0.request.partition ?? "-")" })
    // Each of them has asked for itself at least once.
    #expect(server.requests.count >= partitions.count)
  }

  @Test("pixels of a partition are cleared when their image goes")
  func clearedPixels() async throws {
    let size = PixelSize(width: 640, height: 480)
    let data = try Samples.png(width: size.width, height: size.height, shade: 77)
    let pipeline = ImagePipeline(.init(loader: LoaderGroup.standard, memoryCache: nil, diskCache: nil))
    for partition in [nil, "a", "b"] {
      for number in 0..<4 {
        var request = ImageRequest(source: .data(data, id: "\(partition ?? "") \(number)"))
        request.partition = partition
        _ = try await pipeline.image(for: request)
      }
      if partition == nil { continue }
      #expect(PixelPool.shared.zeroesOnReturn)
      // Several, because another test may have the one that was used.
      let next = try (0..<8).map { _ in
        try Bitmap(size: size) { pixels throws(ImagingError) in
          #expect(pixels.allSatisfy { $0 == 0 })
          return true
        }
      }
      withExtendedLifetime(next) {}
    }
  }
}
