import BenchmarkHarness
import CAffinity
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
      start("without further libraries", []), start("with libde265", [.heif]), drawing,
    ] + smallPicture
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

  /// The time that a sandbox adds to a picture of 16 by 16 pixels on one processor, against 15 µs; and with its worker on
  /// another one, against that and a round trip of two threads that wake each other: on virtual machines, waking another processor
  /// takes most of it. Starts are not counted.
  private static var smallPicture: [Benchmark] {
    let name = "isolation/added to png 16×16"
    return [
      Benchmark(name: name, bar: .ratio(1)) { rounds in
        try onOneProcessor {
          let picture = try SmallPicture()
          return try Measurement.ratioOfTimes(name, to: "15 µs", rounds: rounds) {
            try picture.addedMilliseconds()
          } limitMilliseconds: {
            0.015
          }
        }
      },
      Benchmark(name: "\(name), woken", bar: .ratio(1)) { rounds in
        let picture = try SmallPicture()
        return try Measurement.ratioOfTimes("\(name), woken", to: "15 µs + a round trip", rounds: rounds) {
          try picture.addedMilliseconds()
        } limitMilliseconds: {
          try 0.015 + SmallPicture.roundTripMilliseconds()
        }
      },
    ]
  }

  /// A picture whose decoding takes less than what is around it.
  private struct SmallPicture {
    private static let count = 2000

    private let data: Data
    private let sandbox = DecodingSandbox(SandboxConfiguration(workers: 1, reuse: .images(1 << 30)))
    private let coders: CoderRegistry

    init() throws {
      coders = sandbox.coders(replacing: .standard)
      data = try CoderRegistry.standard.encode(
        Image(
          bitmap: Bitmap(size: PixelSize(width: 16, height: 16)) { pixels in
            for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index &* 31) }
            return false
          }), as: .png)
      _ = try coders.decode(data)
    }

    func addedMilliseconds() throws -> Double {
      let there = try milliseconds(sandbox) { for _ in 0..<Self.count { _ = try coders.decode(data) } }
      let here = try milliseconds(sandbox) {
        for _ in 0..<Self.count { _ = try CoderRegistry.standard.decode(data) }
      }
      return (there - here) / Double(Self.count)
    }

    /// The processor time of a round trip: a thread sends 200 bytes to another one and receives as many.
    static func roundTripMilliseconds() throws -> Double {
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else {
        throw Skipped(reason: "no sockets: errno \(errno)")
      }
      defer { for end in ends { close(end) } }
      let start = Measurement.cpuTime()
      // Each has one end of the pair.
      ThreadTeam.run(2) { [ends] thread in
        let isFirst = thread == 0
        withUnsafeTemporaryAllocation(byteCount: 200, alignment: 16) { message in
          message.initializeMemory(as: UInt8.self, repeating: 0)
          for _ in 0..<count {
            if isFirst { send(ends[thread], message.baseAddress, 200, 0) }
            recv(ends[thread], message.baseAddress, 200, 0)
            if !isFirst { send(ends[thread], message.baseAddress, 200, 0) }
          }
        }
      }
      return (Measurement.cpuTime() - start) / Double(count)
    }
  }

  /// Runs `body` while this thread, and the processes that it starts, may use one processor alone.
  private static func onOneProcessor<Result>(_ body: () throws -> Result) throws -> Result {
    var before: [UInt] = Array(repeating: 0, count: 1024 / UInt.bitWidth)
    let size = before.count * MemoryLayout<UInt>.size
    guard caffinity_get(&before, size) > 0, let word = before.firstIndex(where: { $0 != 0 }) else {
      throw Skipped(reason: "the affinity cannot be read: errno \(errno)")
    }
    var one = before.map { _ in UInt(0) }
    one[word] = before[word] & (~before[word] &+ 1)
    guard caffinity_set(one, size) == 0 else {
      throw Skipped(reason: "the affinity cannot be set: errno \(errno)")
    }
    defer { _ = caffinity_set(before, size) }
    return try body()
  }

  /// The CPU time of a worker from its start until it is ready, against 10 ms. A picture of 16 by 16 pixels is part of it.
  private static func start(_ kind: String, _ formats: Set<ImageFormat>) -> Benchmark {
    let name = "isolation/start \(kind)"
    return Benchmark(name: name, bar: .ratio(1)) { rounds in
      try Measurement.ratioOfTimes(name, to: "10 ms", rounds: rounds) {
        let time = SandboxCheck(SandboxConfiguration(formats: .only(formats))).processorTime
        guard let time else { throw Skipped(reason: "there is no sandbox") }
        return time / .milliseconds(1)
      } limitMilliseconds: {
        10
      }
    }
  }

  /// A drawing of 300 shapes in 512 pixels, in a worker that has drawn before; against 0.8 of the time of libvips, which draws
  /// by librsvg in its own process, and 1 ms.
  private static var drawing: Benchmark {
    let name = "isolation/drawing"
    return Benchmark(name: name, bar: .ratio(1)) { rounds in
      let path = try Peers.file("drawing.svg")
      let data = try Data(contentsOf: URL(filePath: path))
      let peers = try Peers.start()
      let sandbox = DecodingSandbox(SandboxConfiguration(workers: 1, formats: .only([.svg])))
      let coders = sandbox.coders(replacing: .standard)
      let options = DecodeOptions(vectorSize: .box(PixelSize(width: 512, height: 512)))
      var (ours, theirs) = (try coders.decode(data, options: options).size.pixelCount, 0)
      let measurement = try Measurement.ratioOfTimes(name, to: "0.8 vips + 1 ms", rounds: rounds) {
        try milliseconds(sandbox) { ours = try coders.decode(data, options: options).size.pixelCount }
      } limitMilliseconds: {
        let run = try peers.run("vips-drawing", on: path)
        theirs = run.result
        return 0.8 * run.milliseconds + 1
      }
      try requireEqual(ours, theirs, "pixels")
      return measurement
    }
  }

  /// CPU milliseconds of this process and the workers for a piece of work.
  private static func milliseconds(_ sandbox: DecodingSandbox, _ work: () throws -> Void) rethrows -> Double {
    func now() -> Double { Measurement.cpuTime() + sandbox.statistics.processorTime / .milliseconds(1) }
    let start = now()
    try work()
    return now() - start
  }
}
