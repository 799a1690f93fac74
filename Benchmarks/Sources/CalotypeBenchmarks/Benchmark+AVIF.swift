import BenchmarkHarness
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// AVIF against Pillow, which has libavif, dav1d and libaom of its own, and against WebP of equal quality.
  static var avif: [Benchmark] {
    [
      pillow("avif/decode 12 MP", "photo-12mp.avif", "pillow-load", bar: 0.75, DecodeOptions()),
      pillow("avif/thumbnail 12 MP", "photo-12mp.avif", "pillow-thumbnail", bar: 0.65, .thumbnail),
      encodeAVIF(.fast, bar: 0.8), encodeAVIF(.balanced, bar: 2.5),
    ]
  }

  /// BMP against Pillow.
  static var bmp: [Benchmark] {
    [pillow("bmp/thumbnail 12 MP", "photo-12mp.bmp", "pillow-thumbnail", bar: 0.5, .thumbnail)]
  }

  private static func pillow(
    _ name: String, _ file: String, _ peer: String, bar: Double, _ options: DecodeOptions
  ) -> Benchmark {
    Benchmark(name: name, bar: .ratio(bar)) { rounds in
      let path = try Peers.file(file)
      let data = try Data(contentsOf: URL(filePath: path))
      let peers = try Peers.start()
      var counts = (ours: 0, theirs: 0)
      let measurement = try Measurement.ratio(name, to: peer, rounds: rounds) { () throws in
        counts.ours = try CoderRegistry.standard.decode(data, options: options).bitmap.size.pixelCount
      } limitMilliseconds: {
        let run = try peers.run(peer, on: path)
        counts.theirs = run.result
        return run.milliseconds
      }
      try requireEqual(counts.ours, counts.theirs, "pixels")
      return measurement
    }
  }

  /// The CPU time and the bytes of quality 80, against those of WebP with method 4.
  private static func encodeAVIF(_ effort: EncodeOptions.Effort, bar: Double) -> Benchmark {
    let name = "avif/encode \(effort.rawValue) 0.3 MP"
    return Benchmark(name: name, bar: .ratio(bar)) { rounds in
      let image = try CoderRegistry.standard.decode(
        photo("meadow.webp"), options: DecodeOptions(thumbnail: .fit(width: 640, height: 480)))
      var options = EncodeOptions.avif(quality: 80)
      options.effort = effort
      var counts = (ours: 0, theirs: 0)
      var measurement = try Measurement.ratio(name, to: "WebP of quality 80", rounds: rounds) { () throws in
        counts.ours = try CoderRegistry.standard.encode(image, as: options).count
      } limit: {
        counts.theirs = try CoderRegistry.standard.encode(image, as: .webp(quality: 80)).count
      }
      measurement.byteCount = counts.ours
      measurement.limitByteCount = counts.theirs
      return measurement
    }
  }
}

extension DecodeOptions {
  fileprivate static let thumbnail = DecodeOptions(thumbnail: .fit(width: 320, height: 240))
}
