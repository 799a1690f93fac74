import BenchmarkHarness
import CalotypeImaging
import CalotypeIsolation
import FoundationEssentials
import Glibc

extension Benchmark {
  /// Decodes in a sandboxed process, against the same in this one: the CPU time of both processes.
  static var isolation: [Benchmark] {
    let thumbnail = DecodeOptions(thumbnail: .fit(width: 320, height: 240))
    return [
      sandboxed("thumbnail jpeg 12 MP", bar: 1.06, thumbnail) {
        try Data(contentsOf: URL(filePath: Peers.file("photo-12mp.jpg")))
      },
      sandboxed("decode jpeg 12 MP", bar: 1.35, DecodeOptions()) {
        try Data(contentsOf: URL(filePath: Peers.file("photo-12mp.jpg")))
      },
      sandboxed("thumbnail jpeg 1 MP", bar: 1.08, repetitions: 5, thumbnail) { try photo("mountains.jpg") },
      sandboxed("thumbnail png 1 MP", bar: 1.08, repetitions: 2, thumbnail) { try photo("brushes.png") },
      sandboxed("thumbnail webp 1 MP", bar: 1.03, repetitions: 2, thumbnail) { try photo("meadow.webp") },
      smallPicture,
    ]
  }

  private static func sandboxed(
    _ kind: String, bar: Double, repetitions: Int = 1, _ options: DecodeOptions,
    _ load: @escaping () throws -> Data
  ) -> Benchmark {
    let name = "isolation/\(kind)"
    return Benchmark(name: name, bar: .ratio(bar)) { rounds in
      let data = try load()
      let sandbox = DecodingSandbox(SandboxConfiguration(workers: 1))
      let coders = sandbox.coders(replacing: .standard)
      guard
        try coders.decode(data, options: options).bitmap
          == CoderRegistry.standard.decode(data, options: options).bitmap
      else { throw Skipped(reason: "the pictures differ") }
      return try Measurement.ratioOfTimes(name, to: "in process", rounds: rounds) {
        try milliseconds(sandbox) {
          for _ in 0..<repetitions { _ = try coders.decode(data, options: options) }
        }
      } limitMilliseconds: {
        try milliseconds(sandbox) {
          for _ in 0..<repetitions { _ = try CoderRegistry.standard.decode(data, options: options) }
        }
      }
    }
  }

  /// What a sandbox adds to a picture of 16 by 16 pixels, against 15 µs.
  private static var smallPicture: Benchmark {
    let name = "isolation/added to png 16×16"
    let count = 2000
    return Benchmark(name: name, bar: .ratio(1)) { rounds in
      let data = try CoderRegistry.standard.encode(
        Image(
          bitmap: Bitmap(size: PixelSize(width: 16, height: 16)) { pixels in
            for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index &* 31) }
            return false
          }), as: .png)
      let sandbox = DecodingSandbox(SandboxConfiguration(workers: 1))
      let coders = sandbox.coders(replacing: .standard)
      _ = try coders.decode(data)
      return try Measurement.ratioOfTimes(name, to: "15 µs", rounds: rounds) {
        let there = try milliseconds(sandbox) { for _ in 0..<count { _ = try coders.decode(data) } }
        let here = try milliseconds(sandbox) {
          for _ in 0..<count { _ = try CoderRegistry.standard.decode(data) }
        }
        return (there - here) / Double(count)
      } limitMilliseconds: {
        0.015
      }
    }
  }

  /// CPU milliseconds of this process and the workers for a piece of work.
  private static func milliseconds(_ sandbox: DecodingSandbox, _ work: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
        + sandbox.statistics.processorTime / .milliseconds(1)
    }
    let start = now()
    try work()
    return now() - start
  }
}
