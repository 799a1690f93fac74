import BenchmarkHarness
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// HEIC of 48 tiles with an embedded thumbnail, as phones write it, against Pillow with libheif; both decode by
  /// libde265, Pillow by a newer one.
  static var heif: [Benchmark] {
    [
      heif("heif/embedded thumbnail 12 MP", "pillow-heif-320", side: 320, bar: 0.05),
      heif("heif/thumbnail of tiles 12 MP", "pillow-heif-1600", side: 1600, bar: 1.1),
      Benchmark(name: "memory/heif/thumbnail of tiles 12 MP", bar: .mebibytes(24)) {
        try PeakMemory(arguments: ["--heif-once", Peers.file(file)])
      },
    ]
  }

  private static let file = "photo-12mp.heic"

  private static let heifCoders: CoderRegistry = {
    var coders = CoderRegistry.standard
    coders.register(HEIFDecoder())
    return coders
  }()

  private static func heif(_ name: String, _ peer: String, side: Int, bar: Double) -> Benchmark {
    Benchmark(name: name, bar: .ratio(bar)) { rounds in
      let path = try Peers.file(file)
      let data = try Data(contentsOf: URL(filePath: path))
      let peers = try Peers.start()
      let options = DecodeOptions(thumbnail: .fit(width: side, height: side))
      var counts = (ours: 0, theirs: 0)
      let measurement = try Measurement.ratio(name, to: "pillow-heif", rounds: rounds) { () throws in
        counts.ours = try heifCoders.decode(data, options: options).bitmap.size.pixelCount
      } limitMilliseconds: {
        let run = try peers.run(peer, on: path)
        counts.theirs = run.result
        return run.milliseconds
      }
      try requireEqual(counts.ours, counts.theirs, "pixels")
      return measurement
    }
  }

  /// The child of the memory benchmark: reads a file, and makes a thumbnail of 1600 pixels.
  static func heifOnce(_ file: String) throws -> PeakMemory {
    let data = try Data(contentsOf: URL(filePath: file))
    return try PeakMemory.measure {
      try heifCoders.decode(data, options: DecodeOptions(thumbnail: .fit(width: 1600, height: 1600)))
        .bitmap.byteCount
    }
  }
}
