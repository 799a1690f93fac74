import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("Limits of a decode")
struct DecodeLimitTests {
  private static let coders = CoderRegistry.standard

  // MARK: Sides

  @Test("a side that is too long is refused by the header")
  func side() throws {
    let limits = DecodeLimits(maxSide: 64)
    for (width, height) in [(65, 1), (1, 65)] {
      let file = PNGTestFile(width: width, height: height)
      let data = file.file(PNGTestFile.chunk("IDAT", file.compressed { _, _, _ in 0 }))
      #expect(throws: ImagingError.limitExceeded(.side, value: 65, limit: 64)) {
        try Self.coders.probe(data, limits: limits)
      }
    }
    #expect(throws: ImagingError.limitExceeded(.side, value: 100_000_000, limit: 65_535)) {
      try Self.coders.probe(PNGTestFile(width: 100_000_000, height: 1).file(PNGTestFile.chunk("IDAT", [])))
    }
    let size = PixelSize(width: 64, height: 64)
    #expect(throws: Never.self) { try limits.check(size: size, format: .gif) }
  }

  // MARK: Memory

  @Test("memory is limited as such, and by the number of encoded bytes")
  func memory() throws {
    let limits = DecodeLimits(maxMemoryBytes: 1000 << 20, maxExpansion: 10)
    func attempt(_ megabytes: Int, of encoded: Int) throws(ImagingError) {
      try limits.check(predictedByteCount: megabytes << 20, encodedByteCount: encoded)
    }
    try attempt(192, of: 1)
    #expect(throws: ImagingError.limitExceeded(.expansion, value: 193 << 20, limit: 192 << 20 + 10)) {
      try attempt(193, of: 1)
    }
    try attempt(202, of: 1 << 20)
    try attempt(1000, of: 100 << 20)
    #expect(throws: ImagingError.limitExceeded(.memory, value: 1001 << 20, limit: 1000 << 20)) {
      try attempt(1001, of: .max)
    }
    // Whatever a program sets.
    for expansion in [Int.min, -1, 0, .max] {
      let odd = DecodeLimits(maxMemoryBytes: .max, maxExpansion: expansion)
      let error = Result { () throws(ImagingError) in
        try odd.check(predictedByteCount: .max, encodedByteCount: .max)
      }
      #expect((try? error.get()) != nil || expansion < 1)
    }
  }

  @Test("refusals say what is too much, and what to do")
  func messages() {
    let memory = ImagingError.limitExceeded(.memory, value: 2000, limit: 1000)
    #expect(memory.description.contains("predicted memory in bytes 2000 exceeds the limit of 1000"))
    #expect(memory.description.contains("maxMemoryBytes") && memory.description.contains("thumbnail"))
    #expect("\(ImagingError.limitExceeded(.expansion, value: 2, limit: 1))".contains("maxExpansion"))
    #expect("\(ImagingError.limitExceeded(.side, value: 2, limit: 1))".contains("maxSide"))
    #expect("\(ImagingError.limitExceeded(.totalPixels, value: 2, limit: 1))".contains("first frame"))
  }

  /// A picture of 100 million pixels, and how many bytes it ordinarily has at least.
  static let ordinary: [(String, ImageFormat, Int, @Sendable (inout ImageInfo) -> Void)] = [
    ("jpeg", .jpeg, 8_000_000, { $0.layout.samplesPerPixel = 1.5 }),
    ("jpeg with a profile", .jpeg, 10_000_000, { $0.layout.hasProfile = true }),
    ("jpeg, turned", .jpeg, 10_000_000, { $0.orientation = .rightTop }),
    ("progressive jpeg", .jpeg, 12_000_000, { $0.layout.coefficientByteCount = 300_000_000 }),
    ("progressive jpeg 4:4:4", .jpeg, 20_000_000, { $0.layout.coefficientByteCount = 600_000_000 }),
    ("png", .png, 20_000_000, { $0.layout.inflatedByteCount = 400_010_000 }),
    ("png, interlaced", .png, 20_000_000, { interlaced(&$0) }),
    ("webp", .webp, 5_000_000, { _ in }),
    ("webp with alpha", .webp, 12_000_000, { $0.hasAlpha = true }),
    ("lossless webp", .webp, 20_000_000, { $0.layout.isLossless = true }),
    ("gif", .gif, 10_000_000, { _ in }),
    ("interlaced gif", .gif, 10_000_000, { $0.layout.needsCanvas = true }),
  ]

  private static func interlaced(_ info: inout ImageInfo) {
    info.layout.inflatedByteCount = 300_020_000
    info.layout.needsCanvas = true
  }

  @Test("ordinary pictures pass at the largest size, whole and as thumbnails", arguments: ordinary.indices)
  func defaults(index: Int) throws {
    let (_, format, byteCount, change) = Self.ordinary[index]
    var info = ImageInfo(format: format, size: PixelSize(width: 10_000, height: 10_000))
    info.layout.isKnown = true
    change(&info)
    for thumbnail in [nil, Thumbnail.fit(width: 1_000, height: 1_000), .fit(width: 64, height: 64)] {
      try DecodeOptions(thumbnail: thumbnail).checkMemory(for: info, encodedByteCount: byteCount)
    }
  }

  /// Small files whose headers promise much: what they take to be decoded, and to be fed, is refused.
  static let hostile: [(String, Data)] = {
    var gif = GIFBuilder(width: 9_000, height: 9_000)
    for _ in 0..<2 { gif.frame(width: 1, height: 1, pixels: [1]) }
    // Lossless, of codes that need no bits.
    let header = 0x2F | (16_382 << 8) | (5_000 << 22) | (1 << 36) | (0x11111 << 43)
    let bits = (0..<8).map { UInt8(truncatingIfNeeded: header >> (8 * $0)) } + [0, 0, 0, 0, 0, 0]
    let webp = Data(
      Array("RIFF".utf8) + WebPBuilder.little(12 + bits.count, byteCount: 4)
        + WebPBuilder.chunk("WEBP", bits).prefix(4) + WebPBuilder.chunk("VP8L", bits))
    let png = PNGTestFile(width: 9_900, height: 9_900).file(PNGTestFile.chunk("IDAT", [0x78, 0x01]))
    let frame: [UInt8] = [8, 0x1F, 0x40, 0x1F, 0x40, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
    func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
      [0xFF, marker, 0, UInt8(payload.count + 2)] + payload
    }
    // As many bytes as a complete picture must have.
    let jpeg = Data(
      [0xFF, 0xD8] + segment(0xC2, frame) + segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0])
        + [UInt8](repeating: 0, count: 400_000))
    return [("gif", gif.data), ("webp", webp), ("png", png), ("jpeg", jpeg)]
  }()

  @Test("small files get 192 MiB and no more", arguments: hostile.indices)
  func refusals(index: Int) throws {
    let (name, data) = Self.hostile[index]
    #expect(try Self.coders.probe(data).size.pixelCount < 100_000_000, "\(name)")
    func expectRefusal(_ way: String, _ body: () throws(ImagingError) -> Void) {
      let error = #expect(throws: ImagingError.self, "\(name), \(way)") { try body() }
      switch error {
      case .limitExceeded(.expansion, let value, let limit): #expect(value > limit && limit < 256 << 20)
      // Before the memory of a frame, the work of all of them is looked at.
      case .limitExceeded(.frameExpansion, let value, let limit) where way == "animation":
        #expect(value > limit && limit < 130_000_000)
      default: Issue.record("\(name), \(way): \(String(describing: error))")
      }
    }
    expectRefusal("whole") { () throws(ImagingError) in _ = try Self.coders.decode(data) }
    expectRefusal("animation") { () throws(ImagingError) in
      _ = try AnimatedImage(data: data).frame(at: 0)
    }
    expectRefusal("several sizes") { () throws(ImagingError) in
      _ = try Self.coders.decode(data, thumbnails: [.fit(width: 9_000, height: 9_000), nil])
    }
    let decoder = Self.coders.makeIncrementalDecoder()
    for start in stride(from: 0, to: data.count, by: 50_000) {
      try decoder.append(data.dropFirst(start).prefix(50_000))
      #expect(try decoder.snapshot() == nil)
    }
    expectRefusal("fed") { () throws(ImagingError) in _ = try decoder.finish() }
  }

  @Test("a fed decoder waits for so many bytes that its memory is no surprise")
  func grants() throws {
    let photo = Image(bitmap: try SampleImages.bitmap(width: 300, height: 200))
    var progressive = EncodeOptions.jpeg(quality: 95)
    progressive.isProgressive = true
    for form in [progressive, .jpeg(quality: 95), .png, .webp(quality: 95), .webpLossless, .gif] {
      let data = try Self.coders.encode(photo, as: form)
      let info = try Self.coders.probe(data)
      var options = DecodeOptions()
      options.limits.unquestionedBytes = 0
      options.limits.maxExpansion = 2 * options.fedByteCount(for: info) / data.count
      let wanted = try Self.coders.decode(data, options: options).bitmap
      for size in [1, 97, data.count] {
        let decoder = Self.coders.makeIncrementalDecoder(options: options)
        for start in stride(from: 0, to: data.count, by: size) {
          try decoder.append(data.dropFirst(start).prefix(size))
          let isEarly = start + size < data.count / 2 - data.count / 50
          if start / size % 100 == 0 || isEarly && size > 1 {
            let preview = try decoder.snapshot()
            if isEarly { #expect(preview == nil, "\(form.format), \(start + size) of \(data.count)") }
          }
        }
        #expect(try decoder.finish().bitmap == wanted, "\(form.format), pieces of \(size)")
      }
      options.limits.maxExpansion /= 3
      let decoder = Self.coders.makeIncrementalDecoder(options: options)
      try decoder.append(data)
      let error = #expect(throws: ImagingError.self) { try decoder.finish() }
      guard case .limitExceeded(.expansion, _, _) = error else {
        Issue.record("\(form.format): \(String(describing: error))")
        continue
      }
    }
  }

  @Test("coders that a program brings along are held to the same limits")
  func otherCoders() throws {
    struct Other: ImageDecoding {
      var formats: [ImageFormat] { [ImageFormat(rawValue: "other")] }
      func format(of prefix: Data) -> ImageFormat? { formats[0] }
      func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
        ImageInfo(format: formats[0], size: PixelSize(width: 9_000, height: 9_000))
      }
      func decode(
        _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
      ) throws(ImagingError) -> Image { throw .outOfMemory(byteCount: 0) }
    }
    var coders = CoderRegistry()
    coders.register(Other())
    let error = #expect(throws: ImagingError.self) { try coders.decode(Data([1])) }
    guard case .limitExceeded(.expansion, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
