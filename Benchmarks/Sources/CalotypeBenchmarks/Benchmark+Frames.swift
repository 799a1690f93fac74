import BenchmarkHarness
import CalotypeImaging
import FoundationEssentials

extension Benchmark {
  /// All frames of animations, composited to RGBA, against whom Python programs would ask: a pan over a photo, where
  /// every pixel changes, and a small sprite that moves on a transparent ground.
  static var frames: [Benchmark] {
    [
      frames("gif/frames/pan", file: "pan.gif", GIFDecoder(), to: "pillow-frames", bar: .ratio(0.45)),
      frames("gif/frames/sample", file: nil, GIFDecoder(), to: "pillow-frames", bar: .ratio(0.45), loops: 5),
      frames(
        "gif/frames/sprite", file: "sprite.gif", GIFDecoder(), to: "pillow-frames", bar: .ratio(0.2),
        loops: 20),
      frames("webp/frames/pan", file: "pan.webp", WebPDecoder(), to: "pillow-frames", bar: .ratio(0.7)),
      frames(
        "webp/frames/sprite", file: "sprite.webp", WebPDecoder(), to: "pillow-frames", bar: nil, loops: 20),
      frames("apng/frames/pan", file: "pan.png", PNGDecoder(), to: "imagecodecs-frames", bar: .ratio(0.8)),
      frames(
        "apng/frames/sprite", file: "sprite.png", PNGDecoder(), to: "imagecodecs-frames", bar: .ratio(0.8),
        loops: 20),
    ]
  }

  private static func frames(
    _ name: String, file: String?, _ decoder: any ImageDecoding, to peer: String, bar: Bar?,
    loops: Int = 1
  ) -> Benchmark {
    let name = "\(name) by \(peer.prefix { $0 != "-" })"
    return Benchmark(name: name, bar: bar) { rounds in
      let path = try file.map(Peers.file) ?? Peers.photos.appending(path: "pan.gif").path
      let data = try Data(contentsOf: URL(filePath: path))
      let peers = try Peers.start()
      var counts = (ours: 0, theirs: 0)
      let measurement = try Measurement.ratio(name, to: peer, rounds: rounds) { () throws in
        for _ in 0..<loops {
          guard let frames = try decoder.makeFrameDecoder(data, options: DecodeOptions()) else { return }
          counts.ours = frames.info.frameCount
          for index in 0..<counts.ours { _ = try frames.frame(at: index) }
        }
      } limitMilliseconds: {
        let run = try peers.run(peer, on: path, loops: loops)
        counts.theirs = run.result
        return run.milliseconds * Double(loops)
      }
      try requireEqual(counts.ours, counts.theirs, "frames")
      return measurement
    }
  }

  /// Who does something else is no peer.
  static func requireEqual(_ ours: Int, _ theirs: Int, _ what: String) throws {
    if ours != theirs { throw Unequal(description: "\(ours) \(what), and \(theirs) of the peer") }
  }

  private struct Unequal: Error, CustomStringConvertible {
    var description: String
  }
}
