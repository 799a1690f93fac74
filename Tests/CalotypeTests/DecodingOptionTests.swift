import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// A request carries all options of a decode: its keys contain those that change the result, and the pipeline delivers
/// the same image as the coders do.
@Suite("Decoding options of requests", .timeLimit(.minutes(2)))
struct DecodingOptionTests {
  private let url: URL
  private let loader = FakeLoader()

  init() throws {
    url = try #require(URL(string: "http://images.test/a"))
  }

  private func pipeline(
    _ folder: CacheFolder? = nil, limits: DecodeLimits = .default
  ) -> ImagePipeline {
    ImagePipeline(
      .init(
        loader: LoaderGroup([loader, BytesLoader()]), memoryCache: MemoryCache(byteLimit: 64 << 20),
        diskCache: folder?.diskCache(), freshness: FreshnessPolicy(defaultLifetime: .seconds(1000)),
        decodeLimits: limits))
  }

  // MARK: Keys

  /// A change of one field, and whether results then differ in pixels or facts.
  private struct Change {
    let separates: Bool
    let apply: (inout DecodeOptions) -> Void

    init(separates: Bool = true, _ apply: @escaping (inout DecodeOptions) -> Void) {
      (self.separates, self.apply) = (separates, apply)
    }
  }

  /// The stored fields of the options: each new one has to be decided here.
  private let fields: [String: [Change]] = [
    "givenLimits": [
      Change(separates: false) { $0.limits = DecodeLimits() },
      Change(separates: false) { $0.limits.maxPixels = 1 },
    ],
    "appliesOrientation": [Change { $0.appliesOrientation = false }],
    "allowsPartial": [Change { $0.allowsPartial = true }],
    "damage": [Change { $0.damage = .strict }],
    "thumbnail": [Change { $0.thumbnail = .fit(width: 2, height: 3) }],
    "maxPixels": [Change { $0.maxPixels = 5 }],
    "page": [Change { $0.page = 1 }, Change { $0.page = 2 }],
    "vectorSize": [
      Change { $0.vectorSize = .scale(2) }, Change { $0.vectorSize = .scale(2.5) },
      Change { $0.vectorSize = .box(PixelSize(width: 2, height: 0)) },
    ],
    "pixels": [Change { $0.pixels = .native }],
    "colors": [Change { $0.colors = .asStored }],
    "toneMapping": [Change { $0.toneMapping = .none }],
    "formatHint": [Change { $0.formatHint = .png }],
    "readsMetadata": [Change { $0.readsMetadata = true }],
    "extras": [Change { $0.extras = ["layer": "1"] }, Change { $0.extras = ["layer": "2"] }],
    "givenTransforms": [
      Change { $0.transforms = [.blur(sigma: 2)] }, Change(separates: false) { $0.transforms = [] },
    ],
    "animationTransforms": [
      // They have nothing to say without transforms.
      Change(separates: false) { $0.animationTransforms = .none },
      Change {
        $0.transforms = [.blur(sigma: 2)]
        $0.animationTransforms = .none
      },
    ],
  ]

  @Test("each option that changes pixels or facts separates the keys, and no other does")
  func keys() throws {
    let names = Mirror(reflecting: DecodeOptions()).children.compactMap(\.label)
    #expect(Set(names) == Set(fields.keys), "decide whether the field separates keys")
    let configuration = ImagePipeline.Configuration(loader: loader)
    let base = ImageRequest(url: url)
    let baseKey = ResolvedRequest(base, configuration).resultKey
    var keys: Set<CacheKey> = [base.key]
    var resultKeys: Set<CacheKey?> = [baseKey]
    for (name, changes) in fields {
      for change in changes {
        var request = base
        change.apply(&request.decoding)
        #expect(request.decoding != base.decoding, "\(name)")
        #expect(request == ImageRequest(url: url, decoding: request.decoding), "\(name)")
        #expect(request.sourceKey == base.sourceKey, "\(name)")
        let resultKey = ResolvedRequest(request, configuration).resultKey
        if change.separates {
          #expect(keys.insert(request.key).inserted, "\(name)")
          #expect(resultKeys.insert(resultKey).inserted, "\(name)")
        } else {
          #expect(request.key == base.key && resultKey == baseKey, "\(name)")
        }
      }
    }
    // A strict decode accepts no partial image in any case.
    let strict = ImageRequest(url: url, decoding: DecodeOptions(damage: .strict))
    #expect(strict.with { $0.allowsPartial = true }.key == strict.key)
  }

  @Test("a larger version in memory serves only requests with the same appearance")
  func families() throws {
    let small = ImageRequest(url: url, thumbnail: .fit(width: 4, height: 4))
    let family = RequestIdentity.sizeVariant(of: small)?.family
    #expect(family != nil && family == RequestIdentity.sizeVariant(of: ImageRequest(url: url))?.family)
    let changes: [(inout ImageRequest) -> Void] = [
      { $0.colors = .asStored }, { $0.toneMapping = .none }, { $0.pixels = .native },
      { $0.readsMetadata = true },
      { $0.damage = .strict }, { $0.appliesOrientation = false }, { $0.formatHint = .png }, { $0.page = 1 },
      { $0.vectorSize = .scale(2) },
    ]
    let families = changes.map { RequestIdentity.sizeVariant(of: small.with($0))?.family }
    #expect(Set(families + [family]).count == changes.count + 1)
  }

  @Test("what is set on a request is set in its options, and the other way round")
  func forwarding() {
    var request = ImageRequest(
      url: url, thumbnail: .fit(width: 2, height: 2), transforms: [.grayscale()], priority: .high)
    #expect(request.decoding.thumbnail == .fit(width: 2, height: 2))
    #expect(request.decoding.transforms == [.grayscale()] && request.priority == .high)
    request.colors = .asStored
    // Limits that were not set are the pipeline's, and no field of them can be changed.
    request.limits?.maxSide = 9
    #expect(request.limits == nil && request.decoding.givenLimits == nil)
    request.limits = DecodeLimits(maxSide: 9)
    #expect(request.decoding.colors == .asStored && request.decoding.limits.maxSide == 9)
    request.decoding = DecodeOptions(maxPixels: 7)
    #expect(request.maxPixels == 7 && request.thumbnail == nil && request.transforms == .inherit)
    request.transforms = .none
    #expect(request.decoding != DecodeOptions(maxPixels: 7) && request.decoding.transforms.isEmpty)
    // Equal images, loaded by other rules.
    let limited = ImageRequest(url: url).with { $0.limits = DecodeLimits(maxSide: 9) }
    #expect(limited.key == ImageRequest(url: url).key && limited != ImageRequest(url: url))
  }

  // MARK: Sharing

  @Test("limits that concern decodes alone share a load; those of bytes and headers do not")
  func loadKeys() {
    /// The fields of the limits: whether requests that differ in them share a load.
    let fields: [String: (shares: Bool, change: (inout DecodeLimits) -> Void)] = [
      "maxPixels": (false, { $0.maxPixels = 1 }), "maxSide": (false, { $0.maxSide = 1 }),
      "maxFrames": (false, { $0.maxFrames = 1 }), "maxBytes": (false, { $0.maxBytes = 1 }),
      "maxScans": (false, { $0.maxScans = 1 }), "maxChunkBytes": (false, { $0.maxChunkBytes = 1 }),
      "maxItems": (false, { $0.maxItems = 1 }), "maxPages": (false, { $0.maxPages = 1 }),
      "maxTextBytes": (true, { $0.maxTextBytes = 1 }), "maxTotalPixels": (true, { $0.maxTotalPixels = 1 }),
      "maxMemoryBytes": (true, { $0.maxMemoryBytes = 1 }),
      "maxExpansion": (true, { $0.maxExpansion = 1 }),
      "maxDuration": (true, { $0.maxDuration = .seconds(1) }),
      "unquestionedBytes": (true, { _ in }), "unquestionedPixels": (true, { _ in }),
    ]
    #expect(Set(Mirror(reflecting: DecodeLimits()).children.compactMap(\.label)) == Set(fields.keys))
    let base = ImageRequest(url: url)
    func keys(_ request: ImageRequest) -> [JobKey] {
      [
        .load(request, in: .default, policy: .http, validators: nil, number: 0),
        .original(request, in: .default, policy: .http, number: 0),
        .image(request, in: .default, number: 0),
      ]
    }
    for (name, field) in fields {
      var limits = DecodeLimits.default
      field.change(&limits)
      let request = base.with { $0.limits = limits }
      let isSame = zip(keys(request), keys(base)).map { $0 == $1 }
      let isChanged = limits != .default
      #expect(isSame == [field.shares, field.shares, !isChanged], "\(name)")
    }
    // The limits of the pipeline, whether they were set or not.
    #expect(keys(base.with { $0.limits = .default }) == keys(base))
  }

  @Test("requests that differ in the decode alone share one load, and each gets its own image")
  func sharedLoad() async throws {
    let gate = Gate()
    let data = try Data(contentsOf: Samples.fixture("png/icc/p3.png"))
    loader.route(url, .body(data).behind(gate))
    let changes: [(inout ImageRequest) -> Void] = [
      { _ in }, { $0.colors = .asStored }, { $0.pixels = .native }, { $0.readsMetadata = true },
      { $0.limits = DecodeLimits(maxDuration: .seconds(50)) },
      { $0.limits = DecodeLimits(maxMemoryBytes: 1) },
    ]
    let pipeline = pipeline()
    let requests = changes.map { ImageRequest(url: url).with($0) }
    let tasks = requests.map { request in Task { try await pipeline.image(for: request) } }
    // A job that asks for the original after the load has ended would begin another.
    try await eventually { await pipeline.originalSubscribers == requests.count }
    gate.open()
    var images: [Image] = []
    for task in tasks.dropLast() { images.append(try await task.value) }
    // Only the request with that limit fails.
    await #expect(throws: ImagingError.self) { try await tasks[5].value }
    #expect(loader.requests.count == 1)
    #expect(images[0].bitmap == images[4].bitmap && images[0].bitmap != images[1].bitmap)
    #expect(images[1].profile != nil && images[0].profile == nil)
  }

  @Test("limits of a request replace those of the pipeline, and judge for no other request")
  func limits() async throws {
    let folder = try CacheFolder()
    let data = try Samples.png(width: 20, height: 20)
    loader.route(url, .body(data))
    let strict = pipeline(limits: DecodeLimits(maxPixels: 10))
    await #expect(throws: ImagingError.self) { try await strict.image(for: ImageRequest(url: url)) }
    _ = try await strict.image(for: ImageRequest(url: url, decoding: DecodeOptions(limits: .default)))

    let lax = pipeline(folder)
    let plain = ImageRequest(url: url)
    _ = try await lax.image(for: plain)
    await lax.settle()
    let refused = plain.with {
      $0.limits = DecodeLimits(maxPixels: 10)
      $0.readTiers = .originals
    }
    await #expect(throws: ImagingError.self) { try await lax.image(for: refused) }
    await lax.settle()
    #expect(await lax.cache.tiers(of: plain).contains(.originals))
  }

  @Test("each option of the encoder is part of the key of a stored result")
  func storedKeys() {
    let fields: [String: (inout EncodeOptions) -> Void] = [
      "format": { $0.format = .webp }, "quality": { $0.quality = 1 }, "isLossless": { $0.isLossless = true },
      "effort": { $0.effort = .small }, "isProgressive": { $0.isProgressive = true },
      "qualityTarget": { $0.qualityTarget = .target(.ssimulacra2(70)) },
      "jpegTables": { $0.jpegTables = .standard },
      "subsampling": { $0.subsampling = .yuv444 }, "alphaQuality": { $0.alphaQuality = 1 },
      "usesSharpYUV": { $0.usesSharpYUV = true }, "usesPalette": { $0.usesPalette = true },
      "paletteSize": { $0.paletteSize = 16 }, "isInterlaced": { $0.isInterlaced = true },
      "clearsHiddenColors": { $0.clearsHiddenColors = true },
      "nearLosslessQuality": { $0.nearLosslessQuality = 60 }, "content": { $0.content = .photo },
      "requiresMaxFileSize": { $0.requiresMaxFileSize = false },
      "dithers": { $0.dithers = false }, "background": { $0.background = .black },
      "keeps": { $0.keeps = [.exif] }, "maxFileSize": { $0.maxFileSize = 1 },
      "maxPixelSize": { $0.maxPixelSize = 1 }, "extras": { $0.extras = ["a": "b"] },
    ]
    let plain = EncodeOptions.jpeg()
    #expect(Set(Mirror(reflecting: plain).children.compactMap(\.label)) == Set(fields.keys))
    #expect(plain.identity == "\(plain.format) 82 false")
    var identities: Set = [plain.identity]
    for (name, change) in fields {
      var options = plain
      change(&options)
      #expect(identities.insert(options.identity).inserted, "\(name)")
    }
  }

  // MARK: Results

  /// Sources with something to see for each of the options.
  private static let sources = [
    "png/icc/p3.png", "png/conformance/gradient-16b-gray.png", "png/conformance/rgb-alpha-8-linear.png",
    "jpeg/icc/gen-gray.jpg", "jpeg/icc/gen-adobe-rgb.jpg", "jpeg/cmyk/jpg-cmyk-1.jpg",
    "jpeg/exif/Canon_40D.jpg", "jpeg/exif/f-orientation-6.jpg",
  ]

  private static let options: [DecodeOptions] = [
    DecodeOptions(), DecodeOptions(colors: .asStored), DecodeOptions(pixels: .native),
    DecodeOptions(pixels: .native, colors: .asStored), DecodeOptions(readsMetadata: true),
    DecodeOptions(appliesOrientation: false, colors: .asStored, readsMetadata: true),
    DecodeOptions(thumbnail: .fit(width: 9, height: 9), colors: .asStored),
    DecodeOptions(maxPixels: 50, colors: .asStored, readsMetadata: true),
    DecodeOptions(colors: .asStored, transforms: [.grayscale(), .blur(sigma: 1)]),
  ]

  @Test(
    "colours, pixels and metadata are those of the coders, from the loader and from each cache",
    arguments: sources)
  func results(source: String) async throws {
    let folder = try CacheFolder()
    let data = try Data(contentsOf: Samples.fixture(source))
    loader.route(url, .body(data))
    let pipeline = pipeline(folder)
    for options in Self.options {
      let wanted = try CoderRegistry.standard.decode(data, options: options)
      let request = ImageRequest(url: url, decoding: options)
      let atHand = ImageRequest(source: .data(data, id: source), decoding: options)
      for request in [request, request, request.with { $0.readTiers = [.disk, .originals] }, atHand] {
        let response = try await pipeline.response(for: request)
        let image = response.image
        #expect(image.bitmap == wanted.bitmap, "\(options), from \(response.source)")
        #expect(image.bitmap.format == wanted.bitmap.format)
        #expect(image.profile == wanted.profile && image.metadata == wanted.metadata)
        #expect(image.orientation == wanted.orientation)
        await pipeline.settle()
      }
      #expect(try await pipeline.response(for: request).source == .memory)
    }
    #expect(loader.requests.count == 1)
  }

  @Test("the options of the test make a difference")
  func differences() throws {
    func decode(_ path: String, _ options: DecodeOptions) throws -> Image {
      try CoderRegistry.standard.decode(Data(contentsOf: Samples.fixture(path)), options: options)
    }
    #expect(
      try decode("png/icc/p3.png", Self.options[0]).bitmap != decode("png/icc/p3.png", Self.options[1]).bitmap
    )
    #expect(try decode("png/conformance/gradient-16b-gray.png", Self.options[2]).bitmap.format == .rgba16)
    #expect(try decode("jpeg/icc/gen-gray.jpg", Self.options[2]).bitmap.format == .gray8)
    #expect(try decode("jpeg/exif/Canon_40D.jpg", Self.options[4]).metadata.exif != nil)
  }

  @Test("results that an encoded file would not hold are stored as originals only")
  func diskTiers() async throws {
    let folder = try CacheFolder()
    loader.route(url, .body(try Data(contentsOf: Samples.fixture("jpeg/icc/gen-adobe-rgb.jpg"))))
    let pipeline = pipeline(folder)
    let small = ImageRequest(url: url, thumbnail: .fit(width: 9, height: 9))
    let tiers: [(ImageRequest, ImageRequest.CacheTiers)] = [
      (small, .all), (small.with { $0.colors = .asStored }, [.memory, .originals]),
      (small.with { $0.readsMetadata = true }, [.memory, .originals]),
      (small.with { $0.appliesOrientation = false }, .all),
    ]
    for (request, tiers) in tiers {
      _ = try await pipeline.image(for: request)
      await pipeline.settle()
      #expect(await pipeline.cache.tiers(of: request) == tiers)
    }
  }

  @Test(
    "options that exclude each other fail before anything is loaded, also when a transform would come last")
  func exclusion() async throws {
    loader.route(url, .body(try Samples.png()))
    let pipeline = pipeline()
    for options in [
      DecodeOptions(thumbnail: .fit(width: 2, height: 2), pixels: .native),
      DecodeOptions(pixels: .native, transforms: [.grayscale(), .blur(sigma: 2)]),
      DecodeOptions(maxPixels: 0),
    ] {
      let error = await #expect(throws: ImagingError.self) {
        try await pipeline.image(for: ImageRequest(url: url, decoding: options))
      }
      guard case .invalidParameter = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(loader.requests.isEmpty)
  }
}

extension ImageRequest {
  fileprivate func with(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
    var request = self
    change(&request)
    return request
  }
}
