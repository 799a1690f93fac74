import CalotypeDisplay
import BenchmarkHarness
import Calotype
import CalotypeTestKit
import Dispatch
import Foundation
import Synchronization

extension Benchmark {
  /// Animations through a player that does not wait between frames, against whom Python programs would ask for all frames:
  /// what handing over, decoding ahead and the pool cost besides decoding.
  static var playback: [Benchmark] {
    [
      playback("playback/gif/500 frames", .gif, frames: 500, bar: .ratio(1)),
      playback("playback/webp/lossless, 100 frames", .webpLossless, frames: 100, bar: .ratio(1)),
      playback("playback/webp/lossy, 100 frames", .webp(quality: 80), frames: 100, bar: .ratio(1)),
    ]
  }

  private static func playback(
    _ title: String, _ encoding: EncodeOptions, frames: Int, bar: Bar
  ) -> Benchmark {
    let name = title + " by pillow"
    return Benchmark(name: name, bar: bar) { rounds in
      let data = try SampleImages.animation(encoding, frames: frames, width: 320, height: 240)
      let file = FileManager.default.temporaryDirectory.appending(
        path: "\(UUID().uuidString).\(encoding.format)")
      try data.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let peers = try Peers.start()
      var counts = (ours: 0, theirs: 0)
      let measurement = try Measurement.ratio(name, to: "pillow-frames", rounds: rounds) { () throws in
        counts.ours = try playedFrames(of: data)
      } limitMilliseconds: {
        let run = try peers.run("pillow-frames", on: file.path, loops: 1)
        counts.theirs = run.result
        return run.milliseconds
      }
      try requireEqual(counts.ours, counts.theirs, "frames")
      return measurement
    }
  }

  /// Plays once, as fast as frames are decoded.
  private static func playedFrames(of data: Data) throws -> Int {
    let player = AnimationPlayer(try AnimatedImage(data: data), pool: FramePool())
    player.rate = .infinity
    player.loops = .count(1)
    let count = Mutex(Result<Int, any Error>.success(0))
    let done = DispatchSemaphore(value: 0)
    Task {
      defer { done.signal() }
      do {
        var frames = 0
        for try await _ in player.frames() { frames += 1 }
        count.withLock { [frames] in $0 = .success(frames) }
      } catch {
        count.withLock { $0 = .failure(error) }
      }
    }
    done.wait()
    return try count.withLock { $0 }.get()
  }
}
