import Calotype
import CalotypeLibraryCoders
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Library coders")
struct LibraryCoderTests {
  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .appending(path: "Fixtures")

  private static func data(_ path: String) throws -> Data {
    try Data(contentsOf: fixtures.appending(path: path))
  }

  // MARK: Contract

  @Test(
    "they keep the promises of coders",
    arguments: [
      ("jpeg", ["Corpus/jpeg/exif/f-orientation-6.jpg", "Corpus/jpeg/generated/size-31x9-progressive.jpg"]),
      ("png", ["png/basi3p08.png", "png/basn6a08.png", "png/1_trns.png"]),
      ("apng", ["png/dispose-background-blend-source.png", "Corpus/apng/generated/loop-1.png"]),
      ("gif", ["gif/interlaced.gif", "gif/loop-2.gif"]),
    ])
  func conformance(_ format: String, _ paths: [String]) async throws {
    let decoder: any ImageDecoding =
      switch format {
      case "jpeg": TurboJPEGDecoder()
      case "gif": GIFLibDecoder()
      default: SPNGDecoder()
      }
    var conformance = CoderConformance(decoder: decoder, samples: try paths.map(Self.data))
    conformance.attempts = 300
    for complaint in await conformance.complaints() { Issue.record("\(complaint)") }
  }

  @Test("the registry reads and writes what the standard one does, by other decoders")
  func registry() throws {
    #expect(CoderRegistry.libraries.decodableFormats == CoderRegistry.standard.decodableFormats)
    #expect(CoderRegistry.libraries.encodableFormats == CoderRegistry.standard.encodableFormats)
    // giflib refuses bytes between records.
    var odd = try Self.data("gif/interlaced.gif")
    odd.insert(0, at: odd.index(before: odd.endIndex))
    #expect(throws: Never.self) { try CoderRegistry.standard.decode(odd) }
    #expect(throws: ImagingError.self) { try CoderRegistry.libraries.decode(odd) }
  }

  @Test("incremental decoders collect the bytes and decode them at the end")
  func incremental() throws {
    for path in ["png/basi3p08.png", "gif/loop-2.gif", "Corpus/jpeg/exif/f-orientation-6.jpg"] {
      let data = try Self.data(path)
      let decoder = CoderRegistry.libraries.makeIncrementalDecoder()
      for start in stride(from: 0, to: data.count, by: 100) {
        try decoder.append(data.dropFirst(start).prefix(100))
        #expect(try decoder.snapshot() == nil)
      }
      let image = try decoder.finish()
      #expect(image.bitmap == (try CoderRegistry.libraries.decode(data).bitmap), "\(path)")
      #expect(decoder.completeFrameCount == (try CoderRegistry.libraries.probe(data).frameCount), "\(path)")
    }
  }

  // MARK: Options

  @Test(
    "orientation, colours, thumbnails and metadata are those of the standard coders",
    arguments: [
      "Corpus/jpeg/exif/f-orientation-6.jpg", "Corpus/jpeg/icc/gen-cmyk.jpg", "Corpus/jpeg/icc/gen-gray.jpg",
      "Corpus/jpeg/exif/xmp_no_prefix.jpg", "png/basi2c16.png", "png/basi3p08.png",
      "png/f-orientation-6-after-idat.png", "Corpus/png/exif/TestEXIF.png", "gif/loop-2.gif",
    ])
  func options(_ path: String) throws {
    guard let data = try? Self.data(path) else {
      Issue.record("there is no \(path)")
      return
    }
    for options in [
      DecodeOptions(), DecodeOptions(appliesOrientation: false, colors: .asStored),
      DecodeOptions(thumbnail: .fill(width: 11, height: 7)), DecodeOptions(pixels: .native),
      DecodeOptions(colors: .asStored, readsMetadata: true),
    ] {
      let ours = try CoderRegistry.standard.decode(data, options: options)
      let image = try CoderRegistry.libraries.decode(data, options: options)
      #expect(image.bitmap == ours.bitmap && image.profile == ours.profile, "\(options)")
      #expect(image.info == ours.info && image.metadata == ours.metadata, "\(options)")
    }
  }

  @Test("pictures of high dynamic range are those of the standard coders")
  func highDynamicRange() throws {
    let pixels = try Bitmap(size: PixelSize(width: 40, height: 30), format: .rgba16) { target in
      let samples = target.bindMemory(to: UInt16.self)
      for index in samples.indices { samples[index] = UInt16(truncatingIfNeeded: index &* 977) }
      return false
    }
    for transfer in [16, 18, 13] as [UInt8] {
      for peak in [nil, 650] as [Double?] {
        let points = ColorProfile.CodePoints(primaries: 9, transfer: transfer, peakLuminance: peak)
        var encoding = EncodeOptions(format: .png)
        encoding.keeps = [.icc]
        let data = try CoderRegistry.standard.encode(
          Image(bitmap: pixels, profile: .cicp(points)), as: encoding)
        for options in [
          DecodeOptions(), DecodeOptions(pixels: .native), DecodeOptions(toneMapping: .none),
          DecodeOptions(thumbnail: .fit(width: 9, height: 9)), DecodeOptions(colors: .asStored),
        ] {
          let ours = try CoderRegistry.standard.decode(data, options: options)
          let image = try CoderRegistry.libraries.decode(data, options: options)
          #expect(image.bitmap == ours.bitmap && image.profile == ours.profile, "\(options)")
          #expect(image.info == ours.info, "\(options)")
        }
      }
    }
  }

  @Test("frames are the same in any order")
  func frames() throws {
    for path in [
      "png/dispose-background-blend-source.png", "gif/loop-2.gif",
      "Corpus/apng/animated/over_background.apng",
    ] {
      let data = try Self.data(path)
      let ours = try AnimatedImage(data: data)
      let theirs = try AnimatedImage(data: data, coders: .libraries)
      #expect(ours.frameCount > 1 && theirs.info == ours.info, "\(path)")
      for index in Array(0..<ours.frameCount) + (0..<ours.frameCount).reversed() {
        #expect(try ours.frame(at: index).bitmap == theirs.frame(at: index).bitmap, "\(path), \(index)")
      }
    }
  }

  @Test("damaged pictures are delivered where partial images are allowed, and marked")
  func partial() throws {
    for path in [
      "Corpus/png/conformance/hippopotamus.regular.png", "png/basi3p08.png", "gif/still-96x64.gif",
      "Corpus/jpeg/exif/f-orientation-6.jpg",
    ] {
      let data = try Self.data(path)
      var cut = data.prefix(data.count * 3 / 4)
      if path.hasSuffix("png") {
        // libspng takes 8 KiB at a time, none of a shorter rest: here rows are damaged instead.
        cut = data
        let start = cut.count * 3 / 4
        cut.replaceSubrange(start..<start + 16, with: Data(repeating: 0xFF, count: 16))
      }
      #expect(throws: ImagingError.self, "\(path)") { try CoderRegistry.libraries.decode(cut) }
      let image = try CoderRegistry.libraries.decode(cut, options: DecodeOptions(allowsPartial: true))
      let whole = try CoderRegistry.libraries.decode(data)
      #expect(image.isPartial && image.bitmap.size == whole.bitmap.size, "\(path)")
      #expect(!whole.isPartial)
    }
  }

  // MARK: Limits

  @Test("limits hold before memory is taken")
  func limits() throws {
    func error(_ path: String, _ limits: DecodeLimits) throws -> ImagingError? {
      let data = try Self.data(path)
      do throws(ImagingError) {
        _ = try AnimatedImage(data: data, coders: .libraries, options: DecodeOptions(limits: limits)).frame(
          at: 0)
        return nil
      } catch {
        return error
      }
    }
    #expect(
      try error("png/basn6a08.png", DecodeLimits(maxPixels: 1000))
        == .limitExceeded(.pixels, value: 1024, limit: 1000))
    #expect(
      try error("png/basn6a08.png", DecodeLimits(maxSide: 31)) == .limitExceeded(.side, value: 32, limit: 31))
    for path in ["gif/loop-2.gif", "Corpus/apng/animated/over_background.apng"] {
      #expect(
        try error(path, DecodeLimits(maxFrames: 1)) == .limitExceeded(.frames, value: 2, limit: 1), "\(path)")
      guard case .limitExceeded(.totalPixels, _, _) = try error(path, DecodeLimits(maxTotalPixels: 1)) else {
        Issue.record("\(path): all frames together")
        continue
      }
    }
    let progressive = "Corpus/jpeg/generated/size-31x9-progressive.jpg"
    #expect(
      try error(progressive, DecodeLimits(maxScans: 2)) == .limitExceeded(.scans, value: 3, limit: 2))
    #expect(try error(progressive, DecodeLimits()) == nil)
    guard case .limitExceeded(.memory, _, _) = try error(progressive, DecodeLimits(maxMemoryBytes: 100))
    else {
      Issue.record("memory")
      return
    }
    // A canvas of 400 million pixels in a few bytes.
    guard
      case .limitExceeded(.pixels, _, _) = try error(
        "Corpus/apng/bomb/canvas-20000x20000.png", DecodeLimits())
    else {
      Issue.record("a bomb")
      return
    }
  }

  // MARK: Identity

  @Test("requests with named coders have keys of their own")
  func identity() throws {
    let plain = ImageRequest(url: try #require(URL(string: "https://example.org/a.png")))
    var libraries = plain
    libraries.coders = ImageRequest.Identified("libraries", .libraries)
    #expect(libraries.key != plain.key && libraries.sourceKey == plain.sourceKey)
  }
}
