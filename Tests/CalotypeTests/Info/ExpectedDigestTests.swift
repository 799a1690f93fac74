import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

@testable import Calotype

@Suite("Expected digests", .timeLimit(.minutes(1)))
struct ExpectedDigestTests {
  private static let empty256 = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
  private static let empty384 =
    "sha384-OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlb"
  private static let empty512 =
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="

  @Test(
    "integrity metadata is read as written, and what is malformed or unknown is refused",
    arguments: [
      (empty256, "sha256"), (empty384, "sha384"), (empty512, "sha512"), (empty256 + "?a=b", "sha256"),
      (" \(empty256)\n\(empty512) ", "sha512"), (empty384 + " " + empty256, "sha384"), ("", nil), (" ", nil),
      ("sha256-", nil), ("sha256-AAAA", nil), ("sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", nil),
      ("SHA256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", nil), (empty256 + " md5-x", nil),
      ("sha256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", nil), (empty256 + "," + empty256, nil),
    ] as [(String, String?)])
  func syntax(text: String, algorithm: String?) throws {
    let digest = ExpectedDigest(text)
    #expect(digest?.algorithm.rawValue == algorithm)
    if let digest {
      #expect(digest.mismatch(of: Data()) == nil && digest.mismatch(of: Data([1])) != nil)
      #expect(ExpectedDigest(digest.description) == digest)
    }
  }

  private func digest(of data: Data) throws -> ExpectedDigest {
    try #require(ExpectedDigest(.sha256, data.withUnsafeBytes { MessageDigest.sha256($0) }))
  }

  @Test("other bytes are refused before anything is decoded, and stay nowhere", arguments: [false, true])
  func mismatch(isAtHand: Bool) async throws {
    let (right, wrong) = (try LoadSamples.noise(40, 40), try LoadSamples.noise(40, 40, seed: 2))
    let url = try LoadSamples.url("h")
    let loader = FakeLoader([url: .body(wrong, chunk: 1000, headers: [.cacheControl: "max-age=100"])])
    let disk = FaultyCache()
    let pipeline = LoadSamples.pipeline(isAtHand ? LoaderGroup([BytesLoader()]) : loader) {
      $0.memoryCache = MemoryCache()
      $0.diskCache = disk
    }
    var request = ImageRequest(source: isAtHand ? .data(wrong, id: "a") : .url(url))
    request.expectedDigest = try digest(of: right)
    request.previews = .interval(.milliseconds(1))
    let expected = try digest(of: right).description
    let actual = try digest(of: wrong).description
    func refuses(_ body: () async throws -> Void) async {
      let error = await #expect(throws: PipelineError.self) { try await body() }
      guard case .digestMismatch(_, expected, actual)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.gatewayStatus == 502)
    }
    await refuses { _ = try await pipeline.image(for: request) }
    await refuses { _ = try await pipeline.data(for: request) }
    await refuses { _ = try await pipeline.encoded(request, as: .png) }
    await refuses { _ = try await pipeline.info(for: request) }
    await refuses {
      _ = try await pipeline.streamOriginal(of: request) { _ in Issue.record("bytes were passed on") }
    }
    var previews = 0
    await refuses {
      for try await event in pipeline.load(request).events {
        if case .preview = event { previews += 1 }
      }
    }
    await refuses { try await pipeline.cache.store(wrong, for: request) }
    #expect(previews == 0 && pipeline.statistics.decodes == 0)
    await pipeline.settle()
    #expect(await pipeline.cache.tiers(of: request).isEmpty)
  }

  @Test("the right bytes are delivered, cached, and shared with no request that expects others or none")
  func match() async throws {
    let png = try LoadSamples.noise(40, 40)
    let url = try LoadSamples.url("h")
    let loader = FakeLoader([url: .body(png, headers: [.cacheControl: "max-age=100"])])
    let pipeline = LoadSamples.pipeline(loader) {
      $0.memoryCache = MemoryCache()
      $0.diskCache = FaultyCache()
    }
    var request = ImageRequest(url: url)
    request.expectedDigest = try digest(of: png)
    for _ in 0..<2 { #expect(try await pipeline.image(for: request).size.width == 40) }
    #expect(loader.requests.count == 1)
    var plain = request
    plain.expectedDigest = nil
    #expect(plain.key != request.key && plain.sourceKey != request.sourceKey)
    _ = try await pipeline.image(for: plain)
    #expect(loader.requests.count == 2)
    await pipeline.settle()
  }
}
