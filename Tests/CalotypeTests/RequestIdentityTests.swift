import Calotype
import FoundationEssentials
import HTTPTypes
import PipelineSamples
import Testing

private struct Intercepting: LoadIntercepting {
  let identity: String
}

@Suite("Request identity")
struct RequestIdentityTests {
  let url = URL(string: "https://example.org/a.jpg") ?? URL(filePath: "/")

  @Test("everything that changes pixels changes the key; urgency, deadlines and policy do not")
  func parts() throws {
    let base = ImageRequest(url: url)
    var variants: [ImageRequest] = []
    func vary(_ change: (inout ImageRequest) -> Void) {
      var request = base
      change(&request)
      variants.append(request)
    }
    vary { $0.thumbnail = .fit(width: 10, height: 20) }
    vary { $0.thumbnail = .fit(width: 20, height: 10) }
    vary { $0.thumbnail = .fill(width: 10, height: 20) }
    vary { $0.thumbnail = .stretch(width: 10, height: 20) }
    vary { $0.thumbnail = Thumbnail(box: PixelSize(width: 10, height: 20), mode: .fill, anchor: .top) }
    vary { $0.thumbnail = Thumbnail(box: PixelSize(width: 10, height: 20), mode: .fit, linearLight: true) }
    vary { $0.thumbnail = Thumbnail(box: PixelSize(width: 10, height: 20), mode: .fit, effort: .fast) }
    vary { $0.transforms = [.blur(sigma: 2)] }
    vary { $0.transforms = [.blur(sigma: 3)] }
    vary { $0.transforms = [.blur(sigma: 2), .grayscale()] }
    vary { $0.transforms = [.grayscale(), .blur(sigma: 2)] }
    vary {
      $0.transforms = [.blur(sigma: 2)]
      $0.animationTransforms = .none
    }
    vary { $0.appliesOrientation = false }
    vary { $0.allowsPartial = true }
    vary {
      $0.thumbnail = Thumbnail(box: PixelSize(width: 10, height: 20), mode: .fit, filter: .bicubic)
    }
    vary { $0.frames = .all }
    vary { $0.maxPixels = 100 }
    vary { $0.maxPixels = 101 }
    vary { $0.formatHint = .png }
    vary { $0.damage = .strict }
    vary { $0.extras = ["layer": "1"] }
    vary { $0.extras = ["layer": "2"] }
    let ofPixels = variants.count
    vary { $0.loader = ImageRequest.Identified("a", LoaderGroup.standard) }
    vary { $0.loader = ImageRequest.Identified("b", LoaderGroup.standard) }
    vary { $0.credential = .bearer("1") }
    vary { $0.partition = "a" }
    vary { $0.fallbacks = [url] }
    vary { $0.keyPolicy = .named("a") }
    vary { $0.headers[.accept] = "image/webp" }
    vary { $0.interceptor = ImageRequest.Identified("a", Intercepting(identity: "")) }
    vary { $0.interceptor = ImageRequest.Identified("b", Intercepting(identity: "")) }
    vary { $0.interceptor = ImageRequest.Identified("a", Intercepting(identity: "1")) }
    vary { $0.bodyTransform = ImageRequest.Identified("a", Base64Transform()) }
    vary { $0.bodyTransform = ImageRequest.Identified("a", Base64Transform(alphabet: .urlSafe)) }
    vary { $0.validation = ImageRequest.Identified("a") { _ in } }
    vary { $0.validation = ImageRequest.Identified("b") { _ in } }
    vary { $0.statuses = .any }
    vary { $0.statuses = .success.union(404...404) }
    vary { $0.source = .provider(id: url.absoluteString) { Data() } }
    vary { $0.source = .provider(id: url.absoluteString, version: "1") { Data() } }
    vary { $0.source = .provider(id: url.absoluteString, version: "2") { Data() } }
    vary { $0.headers[.authorization] = "Bearer 1" }
    vary { $0.source = .data(Data(), id: url.absoluteString) }
    let ofCoders = variants.count
    vary { $0.coders = ImageRequest.Identified("a", CoderRegistry()) }
    vary { $0.coders = ImageRequest.Identified("b", CoderRegistry()) }
    #expect(Set(variants.map(\.key) + [base.key]).count == variants.count + 1)
    #expect(Set(variants[..<ofPixels].map(\.sourceKey) + [base.sourceKey]).count == 1)
    #expect(
      Set(variants[ofPixels..<ofCoders].map(\.sourceKey) + [base.sourceKey]).count == ofCoders - ofPixels + 1)
    // Servers are asked for the formats that the coders decode, which are none here.
    #expect(Set(variants[ofCoders...].map(\.sourceKey)).count == 1)

    var same = base
    same.priority = .high
    same.cachePolicy = .reload
    same.timeouts.total = .seconds(1)
    same.progressStep = 0.5
    same.userInfo = ["author": "Ann"]
    same.statuses = .init(200...250, 240...299)
    #expect(same.key == base.key && same.sourceKey == base.sourceKey)
    // What undoes itself is not there at all, and without transforms it does not matter what they are for.
    same.transforms = [.flip(.horizontal), .flip(.horizontal)]
    same.animationTransforms = .none
    #expect(same.key == base.key)
    var back = variants[0]
    back.thumbnail = nil
    #expect(back.key == base.key)
  }

  @Test("a result never has the key of an original, and parts cannot imitate each other")
  func unambiguous() throws {
    #expect(ImageRequest(url: url).key != ImageRequest(url: url).sourceKey)
    let forged = try #require(URL(string: "https://example.org/a.jpg%0Athumbnail%20"))
    #expect(ImageRequest(url: forged).key != ImageRequest(url: url, thumbnail: .fit(width: 1, height: 1)).key)
    let a = ImageRequest(source: .data(Data(), id: "x\nthumbnail 9 fit 1x1 x\n"))
    let b = ImageRequest(source: .data(Data(), id: "x"), thumbnail: .fit(width: 1, height: 1))
    #expect(a.key != b.key)
  }

  @Test("users of URLs tell requests apart, and are not readable in a key")
  func users() throws {
    let texts = [
      "https://ann:secret@example.org/a.jpg", "https://ann:secret2@example.org/a.jpg",
      "https://ann@example.org/a.jpg",
    ]
    for policy in [
      ImageRequest.KeyPolicy.absolute, .canonical, .withoutQuery, .dropping(["a"]), .keeping(["a"]),
    ] {
      var keys: Set<CacheKey> = []
      for text in texts + ["https://example.org/a.jpg"] {
        var request = ImageRequest(url: try #require(URL(string: text)))
        request.keyPolicy = policy
        for key in [request.key, request.sourceKey] {
          keys.insert(key)
          #expect(!key.text.contains("secret") && !key.text.contains("ann"))
          #expect(key.source == "https://example.org/a.jpg")
        }
      }
      #expect(keys.count == 8)
    }
  }

  @Test("what is removed by a URL with a user is removed")
  func removalByUser() async throws {
    let folder = try CacheFolder()
    let disk = DiskCache(folder.configuration)
    let pipeline = ImagePipeline(.init(loader: LoaderGroup.standard, diskCache: disk))
    let url = try #require(URL(string: "https://ann:secret@example.org/a.png"))
    try await pipeline.cache.store(try Samples.png(), for: ImageRequest(url: url))
    #expect(await pipeline.cache.tiers(of: ImageRequest(url: url)).contains(.originals))
    let entries = try await disk.entries()
    #expect(entries.map(\.source) == ["https://example.org/a.png"])
    try await pipeline.cache.removeAll(.source(url.absoluteString))
    #expect(try await disk.entries().isEmpty)
  }

  @Test("credentials are not readable in a key")
  func secrets() {
    var request = ImageRequest(url: url)
    request.headers[.authorization] = "Bearer secret-token"
    #expect(!request.key.text.contains("secret"))
    #expect(!request.sourceKey.text.contains("secret"))
  }

  @Test("the order of header fields with one name counts, that of different names does not")
  func headerOrder() {
    func request(_ fields: [(String, String)]) -> ImageRequest {
      var request = ImageRequest(url: url)
      for (name, value) in fields {
        guard let name = HTTPField.Name(name) else { continue }
        request.headers.append(.init(name: name, value: value))
      }
      return request
    }
    #expect(request([("A", "1"), ("B", "2")]).key == request([("B", "2"), ("A", "1")]).key)
    #expect(request([("A", "1"), ("A", "2")]).key != request([("A", "2"), ("A", "1")]).key)
    #expect(request([("A", "1")]).key == request([("a", "1")]).key)
  }
}
