import BenchmarkHarness
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// Shrinking 12 megapixels: against fast_image_resize at the same instruction set, against others, against reading
  /// the picture once, below which no resize can go, and linear light against none.
  static var resizing: [Benchmark] {
    let source = PixelSize(width: 4000, height: 3000)
    let sizes = [PixelSize(width: 800, height: 600), PixelSize(width: 320, height: 240)]
    var benchmarks: [Benchmark] = []
    for size in sizes {
      for filter in [ResampleFilter.lanczos3, .bilinear] {
        for isOpaque in [true, false] {
          benchmarks.append(
            resize(source, to: size, filter, isOpaque: isOpaque, by: firstPeer, bar: isOpaque ? 1.0 : 0.9))
        }
      }
    }
    for size in sizes {
      for peer in ["resize-pillow", "resize-opencv-area", "resize-vips"] {
        benchmarks.append(resize(source, to: size, .lanczos3, isOpaque: true, by: peer, bar: nil))
      }
    }
    for size in sizes {
      for isOpaque in [true, false] {
        benchmarks.append(linearLight(source, to: size, isOpaque: isOpaque))
      }
    }
    for size in sizes {
      for isOpaque in [true, false] {
        benchmarks.append(resize(source, to: size, filter: .lanczos3, isOpaque: isOpaque))
      }
    }
    let small = PixelSize(width: 1000, height: 750)
    benchmarks.append(
      resize(small, to: PixelSize(width: 2000, height: 1500), filter: .lanczos3, isOpaque: true))
    return benchmarks
  }

  /// fast_image_resize: at its best level, or at SSE4.1 when this process is held to 128 bits.
  private static var firstPeer: String {
    ProcessInfo.processInfo.environment["CALOTYPE_SIMD"] == "128" ? "resize-fir-sse4" : "resize-fir-best"
  }

  private static func resize(
    _ source: PixelSize, to size: PixelSize, _ filter: ResampleFilter, isOpaque: Bool, by peer: String,
    bar: Double?
  ) -> Benchmark {
    let kind = isOpaque ? "opaque" : "alpha"
    let name = "resize/\(source) to \(size)/\(filter.rawValue)/\(kind) by \(peer.dropFirst(7))"
    return Benchmark(name: name, bar: bar.map { .ratio($0) }) { rounds in
      let bitmap = try noise(source, isOpaque: isOpaque)
      let peers = try Peers.start()
      let task = "\(source.width)x\(source.height) \(size.width)x\(size.height) \(filter.rawValue) \(kind)"
      return try Measurement.ratio(name, to: peer, rounds: rounds) { () throws in
        for _ in 0..<5 { _ = try bitmap.resampled(to: size, filter: filter) }
      } limitMilliseconds: {
        try peers.run(peer, on: task, loops: 5).milliseconds * 5
      }
    }
  }

  private static func linearLight(_ source: PixelSize, to size: PixelSize, isOpaque: Bool) -> Benchmark {
    let name = "resize/\(source) to \(size)/linear light/\(isOpaque ? "opaque" : "alpha")"
    return Benchmark(name: name, bar: .ratio(1.5)) { rounds in
      let bitmap = try noise(source, isOpaque: isOpaque)
      return try Measurement.ratio(name, to: "as stored", rounds: rounds) {
        for _ in 0..<3 { _ = try bitmap.resampled(to: size, linearLight: true) }
      } limit: {
        for _ in 0..<3 { _ = try bitmap.resampled(to: size) }
      }
    }
  }

  private static func resize(
    _ source: PixelSize, to size: PixelSize, filter: ResampleFilter, isOpaque: Bool
  ) -> Benchmark {
    let name = "resize/\(source) to \(size)/\(filter.rawValue)/\(isOpaque ? "opaque" : "alpha")"
    return Benchmark(name: name) { rounds in
      let bitmap = try noise(source, isOpaque: isOpaque)
      let larger = source.pixelCount >= size.pixelCount ? bitmap : try noise(size, isOpaque: isOpaque)
      let pool = PixelPool(byteLimit: 256 << 20)
      return try Measurement.ratio(name, to: "read the larger", rounds: rounds) {
        _ = try bitmap.resampled(to: size, filter: filter, pool: pool)
      } limit: {
        keep(larger.withUnsafeBytes(sum))
      }
    }
  }

  /// Reads all bytes, with sixteen independent sums, so that memory is the limit and not the adder.
  private static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var sums = (SIMD8<UInt64>.zero, SIMD8<UInt64>.zero)
    for offset in stride(from: 0, to: bytes.count & ~127, by: 128) {
      sums.0 &+= bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self)
      sums.1 &+= bytes.loadUnaligned(fromByteOffset: offset + 64, as: SIMD8<UInt64>.self)
    }
    return (sums.0 &+ sums.1).wrappedSum()
  }

  /// A result that the optimiser must believe is used.
  @inline(never) private static func keep(_ value: UInt64) {}

  private static func noise(_ size: PixelSize, isOpaque: Bool) throws -> Bitmap {
    try Bitmap(size: size) { bytes in
      var state: UInt32 = 1
      for offset in stride(from: 0, to: bytes.count, by: 4) {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes.storeBytes(of: isOpaque ? state | 0xff00_0000 : state, toByteOffset: offset, as: UInt32.self)
      }
      return isOpaque
    }
  }
}
