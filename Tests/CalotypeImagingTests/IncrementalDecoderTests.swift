import CalotypeImaging
import FoundationEssentials
import Testing

/// Dripped bytes end as whole ones do, whatever the coder can.
@Suite("Incremental decoder")
struct IncrementalDecoderTests {
  static let files = [
    "Corpus/jpeg/exif/f-orientation-6.jpg", "png/basi6a08.png", "png/dispose-background-blend-source.png",
    "gif/interlaced.gif",
    "gif/loop-2.gif", "webp/alpha-ramp-lossy.webp", "webp/gen-delays.webp",
    "webp/f-orientation-6-no-flag.webp",
  ]

  @Test("the same image for every cut", arguments: files)
  func chunks(file: String) throws {
    let data = try Fixture.data(file)
    for options in [
      DecodeOptions(), DecodeOptions(thumbnail: .fill(width: 9, height: 7)),
      DecodeOptions(appliesOrientation: false, colors: .asStored), DecodeOptions(pixels: .native),
    ] {
      let whole = try CoderRegistry.standard.decode(data, options: options)
      for size in [1, 13, 997, data.count] {
        let decoder = CoderRegistry.standard.makeIncrementalDecoder(options: options)
        try Self.drip(data, by: size, into: decoder)
        let image = try decoder.finish()
        #expect(image.bitmap == whole.bitmap, "\(size) bytes at a time")
        #expect(image.orientation == whole.orientation && image.profile == whole.profile)
        #expect(image.info == whole.info)
        #expect(decoder.info == whole.info)
        #expect(decoder.completeFrameCount == whole.info?.frameCount)
        #expect(decoder.byteCount == data.count)
      }
    }
  }

  @Test("a coder without parts has its bytes collected")
  func collects() throws {
    var coders = CoderRegistry()
    coders.register(CoderRegistryTests.Fake(orientation: .rightTop))
    let decoder = coders.makeIncrementalDecoder()
    try Self.drip(Data("!123456".utf8), by: 1, into: decoder)
    #expect(decoder.info == nil)
    #expect(try decoder.snapshot() == nil)
    #expect(decoder.completeFrameCount == 0)
    let image = try decoder.finish()
    #expect(image.bitmap.size == PixelSize(width: 1, height: 2))
    #expect(decoder.info?.size == PixelSize(width: 2, height: 1))
    #expect(try decoder.frame(at: 0).bitmap == image.bitmap)
    #expect(throws: ImagingError.self) { try decoder.frame(at: 1) }
    #expect(throws: ImagingError.self) { try decoder.append(Data([1])) }
    #expect(throws: ImagingError.self) { try decoder.finish() }
  }

  @Test("previews come as the image will: turned and small")
  func snapshots() throws {
    let data = try Fixture.data("Corpus/jpeg/exif/f-orientation-6.jpg")
    let decoder = CoderRegistry.standard.makeIncrementalDecoder(
      options: DecodeOptions(thumbnail: .fit(width: 32, height: 32)))
    var seen: [PixelSize] = []
    for byte in data {
      try decoder.append(Data([byte]))
      if let preview = try decoder.snapshot() {
        #expect(preview.isPartial)
        seen.append(preview.bitmap.size)
      }
    }
    #expect(!seen.isEmpty)
    #expect(Set(seen) == [PixelSize(width: 21, height: 32)])
    let whole = try CoderRegistry.standard.decode(
      data, options: DecodeOptions(thumbnail: .fit(width: 32, height: 32)))
    #expect(try decoder.finish().bitmap == whole.bitmap)
  }

  @Test(
    "frames are there before the file is",
    arguments: ["gif/loop-2.gif", "webp/gen-delays.webp", "png/dispose-background-blend-source.png"])
  func frames(file: String) throws {
    let data = try Fixture.data(file)
    let animation = try AnimatedImage(data: data)
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    var early = 0
    for byte in data.dropLast() {
      try decoder.append(Data([byte]))
      while early < decoder.completeFrameCount {
        #expect(try decoder.frame(at: early).bitmap == animation.frame(at: early).bitmap)
        early += 1
      }
    }
    #expect(early >= animation.frameCount - 1)
    try decoder.append(data.suffix(1))
    _ = try decoder.finish()
    #expect(decoder.completeFrameCount == animation.frameCount)
    #expect(try decoder.frame(at: 0).bitmap == animation.frame(at: 0).bitmap)
  }

  @Test("errors come as soon as they are certain, and stay")
  func errors() throws {
    let page = Data("<!DOCTYPE html><html><body>".utf8) + Data(repeating: 0x20, count: 2000)
    #expect(throws: ImagingError.unrecognizedFormat(hint: "an HTML page")) {
      try CoderRegistry.standard.decode(page)
    }
    #expect(throws: ImagingError.unrecognizedFormat(hint: "an HTML page")) {
      let decoder = CoderRegistry.standard.makeIncrementalDecoder()
      try Self.drip(page.prefix(1024), by: 10, into: decoder)
    }
    #expect(throws: ImagingError.emptyInput) { try CoderRegistry.standard.makeIncrementalDecoder().finish() }

    let limited = CoderRegistry.standard.makeIncrementalDecoder(
      options: DecodeOptions(limits: DecodeLimits(maxBytes: 10)))
    try limited.append(Data(repeating: 0x47, count: 4))
    #expect(throws: ImagingError.limitExceeded(.bytes, value: 11, limit: 10)) {
      try limited.append(Data(count: 7))
    }
    #expect(throws: ImagingError.limitExceeded(.bytes, value: 11, limit: 10)) { try limited.finish() }

    for file in Self.files {
      let data = try Fixture.data(file)
      let half = data.prefix(data.count / 2)
      // Of an animation the first half may hold the first frame.
      let whole = Self.error { () throws(ImagingError) in _ = try CoderRegistry.standard.decode(half) }
      let decoder = CoderRegistry.standard.makeIncrementalDecoder()
      let dripped = Self.error { () throws(ImagingError) in
        try Self.drip(half, by: 7, into: decoder)
        _ = try decoder.finish()
      }
      #expect(whole != nil || file.contains("dispose"))
      #expect(whole?.code == dripped?.code, "\(file)")
    }
  }

  @Test("the hint decides, if there is a coder for it")
  func hint() throws {
    let coders = CoderRegistry.standard
    let png = try Fixture.data("png/basn6a08.png")
    let wrong = DecodeOptions(formatHint: .qoi)
    #expect(throws: ImagingError.unrecognizedFormat(hint: nil)) { try coders.decode(png, options: wrong) }
    #expect(throws: ImagingError.unrecognizedFormat(hint: nil)) {
      let decoder = coders.makeIncrementalDecoder(options: wrong)
      try decoder.append(png)
    }
    let unknown = DecodeOptions(formatHint: .svg)
    #expect(try coders.decode(png, options: unknown).bitmap == coders.decode(png).bitmap)
  }

  @Test("native pixels and a thumbnail exclude each other")
  func native() throws {
    let options = DecodeOptions(thumbnail: .fit(width: 8, height: 8), pixels: .native)
    let data = try Fixture.data("png/basn2c16.png")
    #expect(throws: ImagingError.self) { try CoderRegistry.standard.decode(data, options: options) }
    #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.makeIncrementalDecoder(options: options).append(data)
    }
    #expect(
      try CoderRegistry.standard.decode(data, options: DecodeOptions(pixels: .native)).bitmap.format
        == .rgba16)
  }

  private static func error(_ body: () throws(ImagingError) -> Void) -> ImagingError? {
    do {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private static func drip(
    _ data: Data, by size: Int, into decoder: IncrementalDecoder
  ) throws(ImagingError) {
    for start in stride(from: data.startIndex, to: data.endIndex, by: size) {
      try decoder.append(data[start..<min(start + size, data.endIndex)])
    }
  }
}
