import BenchmarkHarness
import CGIFLib
import CalotypeImaging
import FoundationEssentials
import Glibc

extension Benchmark {
  /// All frames of a GIF against giflib's decompression alone, which neither composites nor knows colours; and a GIF
  /// that arrives in pieces against one that is there.
  static var gif: [Benchmark] {
    [library] + [1, 997, 65_536].map { arriving(by: $0) }
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

  private static func arriving(by count: Int) -> Benchmark {
    arriving("gif/arriving by \(count)/still", by: count, GIFDecoder()) {
      // A still, because only the first frame is decoded either way.
      let photo = try WebPDecoder().decode(photo("dogs.webp"), minimumSize: nil, options: DecodeOptions())
      return try GIFEncoder().encode(photo, options: .gif)
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
