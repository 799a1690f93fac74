import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("Limits of an animation")
struct AnimationLimitTests {
  private static let coders = CoderRegistry.standard

  /// Three frames of one pixel on 20×10, in each format.
  static let files: [(String, Data)] = {
    var gif = GIFBuilder(width: 20, height: 10)
    for _ in 0..<3 { gif.frame(width: 1, height: 1, pixels: [1]) }
    let file = PNGTestFile(width: 20, height: 10)
    let pixel = file.compressed(size: (1, 1)) { _, _, _ in 255 }
    let frames = (0..<3).flatMap {
      PNGTestFile.frame(2 * $0, 1, 1) + PNGTestFile.frameData(2 * $0 + 1, pixel)
    }
    let png = file.file(
      PNGTestFile.animation(frames: 3), PNGTestFile.chunk("IDAT", file.compressed { _, _, _ in 0 }), frames)
    var webp = WebPBuilder(width: 20, height: 10, flags: 0x12)
    webp.chunk("ANIM", [0, 0, 0, 0, 0, 0])
    let picture =
      (try? coders.encode(
        Image(
          bitmap: Bitmap(size: PixelSize(width: 1, height: 1)) { pixels in
            pixels.initializeMemory(as: UInt8.self, repeating: 255)
            return true
          }), as: .webpLossless)).map { WebPBuilder.pictureChunk(of: $0) } ?? []
    for _ in 0..<3 {
      webp.chunk("ANMF", [UInt8](repeating: 0, count: 12) + [100, 0, 0, 0] + picture)
    }
    return [("gif", gif.data), ("png", png), ("webp", webp.data)]
  }()

  @Test("each frame costs the canvas that is delivered, whatever it stores", arguments: files.indices)
  func canvases(index: Int) throws {
    let (name, data) = Self.files[index]
    #expect(try Self.coders.probe(data).frameCount == 3, "\(name)")
    let enough = DecodeOptions(limits: DecodeLimits(maxTotalPixels: 600))
    #expect(try AnimatedImage(data: data, options: enough).frame(at: 2).bitmap.size.pixelCount == 200)
    let few = DecodeOptions(limits: DecodeLimits(maxTotalPixels: 599))
    let refusal = ImagingError.limitExceeded(.totalPixels, value: 600, limit: 599)
    #expect(throws: refusal, "\(name)") { try AnimatedImage(data: data, options: few) }
    let coder = try Self.coders.decoder(for: data, hint: nil)
    #expect(throws: refusal, "\(name)") { try coder.makeFrameDecoder(data, options: few) }
    let decoder = Self.coders.makeIncrementalDecoder(options: few)
    try decoder.append(data)
    // The still picture is no animation.
    let still = try Self.coders.decode(data, options: few).bitmap
    #expect(try decoder.finish().bitmap == still && still.size.pixelCount == 200)
    #expect(throws: refusal, "\(name), fed") { try decoder.frame(at: 2) }
  }

  @Test("a frame of a GIF that is larger than the canvas costs its own pixels")
  func framesOutside() throws {
    var gif = GIFBuilder(width: 2, height: 2)
    gif.frame(width: 2, height: 2, pixels: [0, 0, 0, 0])
    gif.frame(width: 10, height: 1, pixels: [UInt8](repeating: 1, count: 10))
    let few = DecodeOptions(limits: DecodeLimits(maxTotalPixels: 13))
    #expect(throws: ImagingError.limitExceeded(.totalPixels, value: 14, limit: 13)) {
      try AnimatedImage(data: gif.data, options: few)
    }
  }

  @Test("frames are limited by the encoded bytes, whole and fed", arguments: files.indices)
  func expansion(index: Int) throws {
    let (name, data) = Self.files[index]
    var options = DecodeOptions()
    options.limits.maxExpansion = 1
    // Three frames of 200 pixels; each byte allows 8.
    options.limits.unquestionedPixels = 600 - 8 * data.count
    #expect(try AnimatedImage(data: data, options: options).frame(at: 2).bitmap.size.pixelCount == 200)
    options.limits.unquestionedPixels -= 1
    let refusal = ImagingError.limitExceeded(.frameExpansion, value: 600, limit: 599)
    #expect(throws: refusal, "\(name)") { try AnimatedImage(data: data, options: options) }
    let coder = try Self.coders.decoder(for: data, hint: nil)
    #expect(throws: refusal, "\(name)") { try coder.makeFrameDecoder(data, options: options) }
    let decoder = Self.coders.makeIncrementalDecoder(options: options)
    try decoder.append(data)
    #expect(throws: refusal, "\(name), fed") { try decoder.frame(at: 2) }
    // What a program sets does not overflow.
    options.limits.maxExpansion = .max
    #expect(try AnimatedImage(data: data, options: options).frame(at: 2).bitmap.size.pixelCount == 200)
  }

  @Test("the memory of frames is limited: canvases, and what a frame is decoded in", arguments: files.indices)
  func memory(index: Int) throws {
    let (name, data) = Self.files[index]
    let info = try Self.coders.probe(data)
    var options = DecodeOptions()
    let needed = options.frameByteCount(for: info)
    #expect(needed > options.workingByteCount(for: info), "\(name)")
    options.limits.maxMemoryBytes = needed
    #expect(try AnimatedImage(data: data, options: options).frame(at: 1).bitmap.size == info.size)
    options.limits.maxMemoryBytes = needed - 1
    #expect(throws: ImagingError.limitExceeded(.memory, value: needed, limit: needed - 1), "\(name)") {
      try AnimatedImage(data: data, options: options)
    }
    // Fed, the first frame is there a second time.
    let fed = options.frameByteCount(for: info, isFed: true)
    #expect(fed > needed)
    options.limits.maxMemoryBytes = fed - 1
    let decoder = Self.coders.makeIncrementalDecoder(options: options)
    try decoder.append(data)
    #expect(throws: ImagingError.limitExceeded(.memory, value: fed, limit: fed - 1), "\(name), fed") {
      try decoder.frame(at: 0)
    }
  }

  // MARK: Time

  @Test("the time of a pass over frames counts together; the next one begins anew")
  func passes() throws {
    var time = ContinuousClock.now
    let limits = DecodeLimits(maxDuration: .seconds(60))
    let pass = DecodeLimits.PassStopwatch(DecodeLimits.Stopwatch(limits, now: { time }))
    func decode(_ index: Int, seconds: Int) throws(ImagingError) {
      try pass.run(to: index) { (watch) throws(ImagingError) in
        try watch.check()
        time += .seconds(seconds)
      }
    }
    // For ever, as long as one pass is short enough.
    for _ in 0..<20 {
      for index in 0..<5 { try decode(index, seconds: 10) }
    }
    time += .seconds(1_000)
    try decode(5, seconds: 9)
    try decode(5, seconds: 2)
    let error = #expect(throws: ImagingError.self) { try decode(8, seconds: 1) }
    guard case .limitExceeded(.duration, let value, 60_000) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(value >= 61_000)
    try decode(7, seconds: 60)
    try decode(0, seconds: 1)
  }

  /// An animation whose frames cost something.
  private static func costly(_ format: ImageFormat) throws -> Data {
    let source = AnimationSource(frameCount: 24, loopCount: 0) { index throws(ImagingError) in
      let bitmap = try Bitmap(size: PixelSize(width: 160, height: 120)) { pixels in
        var state = UInt32(index + 1)
        for offset in stride(from: 0, to: pixels.count, by: 4) {
          state = state &* 1_664_525 &+ 1_013_904_223
          pixels.storeBytes(of: state | 0xFF00_0000, toByteOffset: offset, as: UInt32.self)
        }
        return true
      }
      return AnimationSource.Frame(bitmap: bitmap, duration: .milliseconds(20))
    }
    let options: EncodeOptions =
      switch format {
      case .gif: .gif
      case .webp: .webpLossless
      default: .apng
      }
    return try coders.encode(source, as: options)
  }

  @Test("decoders count it so, whole and fed", arguments: [ImageFormat.gif, .webp, .apng])
  func decoders(format: ImageFormat) throws {
    let data = try Self.costly(format)
    let clock = ContinuousClock()
    let plain = try AnimatedImage(data: data)
    var shortest = Duration.seconds(10)
    for _ in 0..<3 {
      let time = try clock.measure { for index in 0..<24 { _ = try plain.frame(at: index) } }
      shortest = min(shortest, time)
    }
    // A fifth of what a pass takes: more than any of its frames, and copies of canvases are not counted.
    let limits = DecodeLimits(maxDuration: shortest / 5)
    let options = DecodeOptions(limits: limits)
    let animation = try AnimatedImage(data: data, options: options)
    var decoded = 0
    let error = #expect(throws: ImagingError.self) {
      while decoded < 24 {
        _ = try animation.frame(at: decoded)
        decoded += 1
      }
    }
    guard case .limitExceeded(.duration, _, _) = error else {
      Issue.record("\(format), \(decoded): \(String(describing: error))")
      return
    }
    // Who begins again may go on for longer than the limit. A pass may be slow by accident; the next ones are not.
    let generous = DecodeOptions(limits: DecodeLimits(maxDuration: shortest * 20))
    let decoder = Self.coders.makeIncrementalDecoder(options: generous)
    try decoder.append(data)
    _ = try decoder.finish()
    let start = clock.now
    var isWhole = false
    while clock.now - start < shortest * 60 { isWhole = Self.pass(of: decoder) }
    for _ in 0..<50 where !isWhole { isWhole = Self.pass(of: decoder) }
    #expect(isWhole, "\(format)")
  }

  /// Whether all frames can be had, one after the other.
  private static func pass(of decoder: IncrementalDecoder) -> Bool {
    (0..<24).allSatisfy { (try? decoder.frame(at: $0)) != nil }
  }
}
