import BenchmarkHarness
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// JPEG XL against imagecodecs, which has a newer libjxl; both use one thread.
  static var jxl: [Benchmark] {
    [decodeLikeImagecodecs("lossy", .jxl(quality: 90)), decodeLikeImagecodecs("lossless", .jxlLossless)]
  }

  private static func decodeLikeImagecodecs(_ kind: String, _ options: EncodeOptions) -> Benchmark {
    let name = "jxl/decode/\(kind) 12 MP by imagecodecs"
    return Benchmark(name: name, bar: .ratio(1)) { rounds in
      let path = try jxlFile(kind, options)
      let data = try Data(contentsOf: URL(filePath: path))
      let peers = try Peers.start()
      var counts = (ours: 0, theirs: 0)
      let measurement = try Measurement.ratio(name, to: "imagecodecs", rounds: rounds) { () throws in
        let image = try JXLDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
        counts.ours = image.bitmap.size.pixelCount
      } limitMilliseconds: {
        let run = try peers.run("imagecodecs-jxl", on: path)
        counts.theirs = run.result
        return run.milliseconds
      }
      try requireEqual(counts.ours, counts.theirs, "pixels")
      return measurement
    }
  }

  /// Returns the path of the photo as JPEG XL, which is made of the PNG once.
  private static func jxlFile(_ kind: String, _ options: EncodeOptions) throws -> String {
    let source = try Peers.file("photo-12mp.png")
    let path = Peers.made("photo-12mp-\(kind).jxl")
    if !FileManager.default.fileExists(atPath: path) {
      var options = options
      options.effort = .fast
      let data = try Image(contentsOf: URL(filePath: source)).encoded(as: options)
      try data.write(to: URL(filePath: path), options: .atomic)
    }
    return path
  }
}
