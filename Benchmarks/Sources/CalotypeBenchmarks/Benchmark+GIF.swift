import BenchmarkHarness
import CGIFLib
import CalotypeImaging
import FoundationEssentials
import Glibc

extension Benchmark {
  /// All frames of a GIF against giflib's decompression alone, which neither composites nor knows colours; and a GIF
  /// that arrives in pieces against one that is there.
  static var gif: [Benchmark] {
    [library] + [1, 997, 65_536].map { drip($0) }
  }

  private static var library: Benchmark {
    Benchmark(name: "gif/frames/sample by giflib") { rounds in
      let data = try photo("pan.gif")
      let bytes = [UInt8](data)
      return try Measurement.ratio("gif/frames/sample by giflib", to: "DGifSlurp", rounds: rounds) {
        () throws in
        guard let frames = try GIFDecoder().makeFrameDecoder(data, options: DecodeOptions()) else { return }
        for index in 0..<frames.info.frameCount { _ = try frames.frame(at: index) }
      } limit: {
        try slurp(bytes)
      }
    }
  }

  private static func drip(_ count: Int) -> Benchmark {
    let name = "gif/arriving by \(count)/still"
    return Benchmark(name: name, bar: .ratio(1.5)) { rounds in
      // A still, because only the first frame is decoded either way.
      let photo = try WebPDecoder().decode(photo("dogs.webp"), minimumSize: nil, options: DecodeOptions())
      let data = try GIFEncoder().encode(photo, options: .gif)
      return try Measurement.ratio(name, to: "at once", rounds: rounds) { () throws in
        guard let decoder = GIFDecoder().makeIncrementalDecoder(options: DecodeOptions()) else { return }
        for start in stride(from: 0, to: data.count, by: count) {
          try decoder.append(data[start..<min(start + count, data.count)])
        }
        _ = try decoder.finish()
      } limit: {
        _ = try GIFDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
      }
    }
  }

  private static func slurp(_ bytes: [UInt8]) throws {
    var reader = Reader(bytes: bytes)
    try withUnsafeMutablePointer(to: &reader) { reader in
      let read: InputFunc = { file, target, count in
        guard let reader = file?.pointee.UserData?.assumingMemoryBound(to: Reader.self), let target else {
          return 0
        }
        return Int32(reader.pointee.read(target, Int(count)))
      }
      guard let file = DGifOpen(reader, read, nil) else { throw ImagingError.emptyInput }
      defer { DGifCloseFile(file, nil) }
      guard DGifSlurp(file) == GIF_OK else { throw ImagingError.emptyInput }
    }
  }

  /// What giflib reads from.
  private struct Reader {
    let bytes: [UInt8]
    var offset = 0

    mutating func read(_ target: UnsafeMutablePointer<GifByteType>, _ count: Int) -> Int {
      let count = min(count, bytes.count - offset)
      bytes.withUnsafeBytes { source in
        if let base = source.baseAddress { memcpy(target, base + offset, count) }
      }
      offset += count
      return count
    }
  }
}
