import BenchmarkHarness
import CLibWebP
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// WebP against libwebp driven by its own interface into a buffer that is kept, animations against its
  /// `WebPAnimDecoder`, and pictures that arrive in pieces against those that are there.
  static var webP: [Benchmark] {
    let photos = [("meadow", "meadow.webp"), ("dogs", "dogs.webp")]
    var benchmarks = photos.map { name, file in
      still("webp/decode/lossy \(name)") { try photo(file) }
    }
    benchmarks.append(still("webp/decode/lossless") { try losslessPhoto() })
    for count in [1, 997, 65_536] {
      let name = "webp/arriving by \(count)"
      benchmarks.append(arriving("\(name)/lossy", by: count, WebPDecoder()) { try photo("meadow.webp") })
      benchmarks.append(arriving("\(name)/lossless", by: count, WebPDecoder()) { try losslessPhoto() })
    }
    benchmarks.append(library("sample", sampleAnimation))
    benchmarks.append(library("pan") { try Peers.data("pan.webp") })
    for effort in EncodeOptions.Effort.allCases { benchmarks.append(encode(effort, isLossless: false)) }
    benchmarks.append(encode(.fast, isLossless: true))
    return benchmarks
  }

  private static func losslessPhoto() throws -> Data {
    let image = try WebPDecoder().decode(photo("dogs.webp"), minimumSize: nil, options: DecodeOptions())
    var options = EncodeOptions.webpLossless
    options.effort = .fast
    return try WebPEncoder().encode(image, options: options)
  }

  private static func still(_ name: String, _ data: @escaping () throws -> Data) -> Benchmark {
    Benchmark(name: name, bar: .ratio(1.05)) { rounds in
      let data = try data()
      let library = try WebPLibrary(data)
      return try Measurement.ratio(name, to: "WebPDecodeRGBAInto", rounds: rounds) { () throws in
        _ = try WebPDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
      } limit: {
        try library.decode()
      }
    }
  }

  private static func encode(_ effort: EncodeOptions.Effort, isLossless: Bool) -> Benchmark {
    let name = "webp/encode/\(isLossless ? "lossless" : "lossy") \(effort.rawValue) 3 MP"
    return Benchmark(name: name, bar: .ratioWithoutMoreBytes(1.05)) { rounds in
      let image = try WebPDecoder().decode(photo("meadow.webp"), minimumSize: nil, options: DecodeOptions())
      var options = isLossless ? EncodeOptions.webpLossless : EncodeOptions.webp(quality: 82)
      options.effort = effort
      // What the efforts stand for: methods, and levels of the lossless preset.
      let method: Int32 =
        switch effort {
        case .fast: isLossless ? 1 : 2
        case .balanced: isLossless ? 6 : 4
        case .small: isLossless ? 8 : 6
        }
      var counts = (ours: 0, theirs: 0)
      var measurement = try Measurement.ratio(name, to: "WebPEncode", rounds: rounds) { () throws in
        counts.ours = try WebPEncoder().encode(image, options: options).count
      } limit: {
        counts.theirs = image.bitmap.withUnsafeBytes { pixels in
          clibwebp_encode(
            pixels.baseAddress, Int32(image.width), Int32(image.height), isLossless ? 1 : 0, 82, method)
        }
        if counts.theirs == 0 { throw ImagingError.emptyInput }
      }
      measurement.byteCount = counts.ours
      measurement.limitByteCount = counts.theirs
      return measurement
    }
  }

  private static func library(_ name: String, _ data: @escaping () throws -> Data) -> Benchmark {
    let name = "webp/frames/\(name) by libwebp"
    return Benchmark(name: name) { rounds in
      let data = try data()
      let bytes = [UInt8](data)
      return try Measurement.ratio(name, to: "WebPAnimDecoder", rounds: rounds) { () throws in
        guard let frames = try WebPDecoder().makeFrameDecoder(data, options: DecodeOptions()) else { return }
        for index in 0..<frames.info.frameCount { _ = try frames.frame(at: index) }
      } limit: {
        try WebPLibrary.decodeAnimation(bytes)
      }
    }
  }

  /// The sample GIF as WebP.
  private static func sampleAnimation() throws -> Data {
    var options = EncodeOptions.webp(quality: 75)
    options.effort = .fast
    return try WebPEncoder().encode(animationSource(photo("pan.gif"), GIFDecoder()), options: options)
  }

  /// All frames of an animation, to be encoded.
  static func animationSource(_ data: Data, _ decoder: any ImageDecoding) throws -> AnimationSource {
    guard let frames = try decoder.makeFrameDecoder(data, options: DecodeOptions()) else {
      throw ImagingError.emptyInput
    }
    let info = frames.info
    return AnimationSource(frameCount: info.frameCount, loopCount: info.loopCount) {
      (index) throws(ImagingError) in
      AnimationSource.Frame(bitmap: try frames.frame(at: index), duration: info.durations[index])
    }
  }
}

/// `WebPDecodeRGBAInto` of one file into one buffer.
private final class WebPLibrary {
  private let data: [UInt8]
  private let pixels: UnsafeMutableBufferPointer<UInt8>
  private let stride: Int32

  init(_ data: Data) throws {
    self.data = [UInt8](data)
    var (width, height): (Int32, Int32) = (0, 0)
    guard WebPGetInfo(self.data, data.count, &width, &height) != 0 else { throw ImagingError.emptyInput }
    stride = 4 * width
    pixels = .allocate(capacity: Int(stride) * Int(height))
  }

  deinit {
    pixels.deallocate()
  }

  func decode() throws {
    guard WebPDecodeRGBAInto(data, data.count, pixels.baseAddress, pixels.count, stride) != nil else {
      throw ImagingError.emptyInput
    }
  }

  static func decodeAnimation(_ bytes: [UInt8]) throws {
    guard clibwebp_decode_animation(bytes, bytes.count) == 1 else { throw ImagingError.emptyInput }
  }
}
