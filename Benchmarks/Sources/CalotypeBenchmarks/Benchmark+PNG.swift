import BenchmarkHarness
import CSPNG
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// PNG against libvips, the fastest in the field, and against libspng: decoding (libspng into a buffer that is
  /// kept), and encoding at the level that everybody uses.
  static var png: [Benchmark] {
    let kinds: [(name: String, isOpaque: Bool)] = [("rgb", true), ("rgba", false)]
    let photos = [
      ("camera 12 MP rgb", "camera-12mp.png"), ("camera 12 MP rgba", "camera-12mp-rgba.png"),
      ("photo 12 MP rgb", "photo-12mp.png"),
    ]
    return photos.flatMap { [decodeLikeVips($0, $1), decodeLikeSPNG($0, $1)] }
      + kinds.map { decode($0.name, isOpaque: $0.isOpaque) }
      + [("camera 3 MP", "camera-3mp.png"), ("photo 3 MP", "photo-3mp.png")].map(encodeLikeVips)
      + kinds.map { encode($0.name, isOpaque: $0.isOpaque) }
  }

  private static func decodeLikeVips(_ kind: String, _ file: String) -> Benchmark {
    let name = "png/decode/\(kind) by vips"
    return Benchmark(name: name, bar: .ratio(0.75)) { rounds in
      let path = try Peers.file(file)
      let data = try Data(contentsOf: URL(filePath: path))
      let peers = try Peers.start()
      var counts = (ours: 0, theirs: 0)
      let measurement = try Measurement.ratio(name, to: "pyvips copy_memory", rounds: rounds) { () throws in
        let image = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
        counts.ours = image.bitmap.size.pixelCount
      } limitMilliseconds: {
        let run = try peers.run("vips-decode", on: path)
        counts.theirs = run.result
        return run.milliseconds
      }
      try requireEqual(counts.ours, counts.theirs, "pixels")
      return measurement
    }
  }

  private static func decodeLikeSPNG(_ kind: String, _ file: String) -> Benchmark {
    let name = "png/decode/\(kind) by libspng"
    return Benchmark(name: name) { rounds in
      let data = try Peers.data(file)
      let info = try PNGDecoder().probe(data, limits: .default)
      var buffer = [UInt8](repeating: 0, count: info.size.pixelCount * 4)
      return try Measurement.ratio(name, to: "libspng", rounds: rounds) {
        _ = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
      } limit: {
        try spngDecode(data, into: &buffer)
      }
    }
  }

  private static func encodeLikeVips(_ kind: String, _ file: String) -> Benchmark {
    let name = "png/encode/\(kind) by vips"
    return Benchmark(name: name, bar: .ratioWithoutMoreBytes(0.7)) { rounds in
      let path = try Peers.file(file)
      let data = try Data(contentsOf: URL(filePath: path))
      let bitmap = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap
      return try encode(name, beside: "pyvips pngsave 6", "vips-encode-png", on: path, rounds: rounds) {
        try Image(bitmap: bitmap).encoded(as: .png).count
      }
    }
  }

  private static let pngSize = PixelSize(width: 2000, height: 1500)

  private static func decode(_ kind: String, isOpaque: Bool) -> Benchmark {
    let name = "png/decode \(pngSize)/\(kind)"
    return Benchmark(name: name) { rounds in
      let data = try Image(bitmap: try picture(isOpaque: isOpaque)).encoded(as: .png)
      var buffer = [UInt8](repeating: 0, count: pngSize.pixelCount * 4)
      return try Measurement.ratio(name, to: "libspng", rounds: rounds) {
        _ = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
      } limit: {
        try spngDecode(data, into: &buffer)
      }
    }
  }

  private static func encode(_ kind: String, isOpaque: Bool) -> Benchmark {
    let name = "png/encode \(pngSize)/\(kind)"
    return Benchmark(name: name) { rounds in
      let bitmap = try picture(isOpaque: isOpaque)
      let samples = isOpaque ? withoutAlpha(bitmap) : bitmap.withUnsafeBytes { Array($0) }
      return try Measurement.ratio(name, to: "libspng", rounds: rounds) {
        _ = try Image(bitmap: bitmap).encoded(as: .png)
      } limit: {
        try spngEncode(samples, isOpaque: isOpaque)
      }
    }
  }

  private struct Failure: Error {
    var status: CInt
  }

  private static func check(_ status: CInt) throws {
    if status != 0 { throw Failure(status: status) }
  }

  private static func spngDecode(_ data: Data, into buffer: inout [UInt8]) throws {
    guard let context = spng_ctx_new(0) else { throw Failure(status: -1) }
    defer { spng_ctx_free(context) }
    try data.withUnsafeBytes { bytes in
      try check(spng_set_png_buffer(context, bytes.baseAddress, bytes.count))
      try check(spng_decode_image(context, &buffer, buffer.count, CInt(SPNG_FMT_RGBA8.rawValue), 0))
    }
  }

  private static func spngEncode(_ samples: [UInt8], isOpaque: Bool) throws {
    guard let context = spng_ctx_new(CInt(SPNG_CTX_ENCODER.rawValue)) else { throw Failure(status: -1) }
    defer { spng_ctx_free(context) }
    let type = isOpaque ? SPNG_COLOR_TYPE_TRUECOLOR : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA
    var header = spng_ihdr(
      width: UInt32(pngSize.width), height: UInt32(pngSize.height), bit_depth: 8,
      color_type: UInt8(type.rawValue), compression_method: 0, filter_method: 0, interlace_method: 0)
    try check(spng_set_ihdr(context, &header))
    try check(spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1))
    try check(spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, 6))
    try check(spng_set_option(context, SPNG_FILTER_CHOICE, CInt(SPNG_FILTER_CHOICE_ALL.rawValue)))
    try check(
      spng_encode_image(
        context, samples, samples.count, CInt(SPNG_FMT_PNG.rawValue), CInt(SPNG_ENCODE_FINALIZE.rawValue)))
  }

  private static func withoutAlpha(_ bitmap: Bitmap) -> [UInt8] {
    bitmap.withUnsafeBytes { bytes in
      var samples: [UInt8] = []
      samples.reserveCapacity(bytes.count / 4 * 3)
      for offset in stride(from: 0, to: bytes.count, by: 4) { samples += bytes[offset..<offset + 3] }
      return samples
    }
  }

  /// Something like a photograph: slopes, edges and a little noise.
  private static func picture(isOpaque: Bool) throws -> Bitmap {
    try Bitmap(size: pngSize) { bytes in
      var state: UInt32 = 1
      for y in 0..<pngSize.height {
        for x in 0..<pngSize.width {
          state = state &* 1_664_525 &+ 1_013_904_223
          let base = x / 11 + y / 7 + ((x / 97 ^ y / 61) & 7) * 9
          let offset = (y * pngSize.width + x) * 4
          for channel in 0..<3 {
            bytes[offset + channel] = UInt8(
              truncatingIfNeeded: base * (channel + 2) / 3 + Int(state >> (8 + UInt32(channel) * 6) & 3))
          }
          bytes[offset + 3] = isOpaque ? 255 : UInt8(truncatingIfNeeded: 255 - y / 8)
        }
      }
      return isOpaque
    }
  }
}
