import BenchmarkHarness
import CalotypeImaging
import FoundationEssentials
import Glibc
import Synchronization

/// What cases under load measure themselves by.
enum LoadFigures {
  /// CPU milliseconds of this process so far, user and system, of all threads.
  static var cpuMilliseconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func milliseconds(_ time: timeval) -> Double {
      Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
    }
    return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)
  }

  /// Bytes resident in this process.
  static var residentBytes: Int { kilobytes("/proc/self/status", "VmRSS:") << 10 }

  /// Bytes that the machine could still give.
  static var availableBytes: Int { kilobytes("/proc/meminfo", "MemAvailable:") << 10 }

  /// The median of wall times, in milliseconds.
  static func median(_ durations: [Duration]) -> Double {
    let sorted = durations.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2] / .milliseconds(1)
  }

  /// How long `body` takes, and at most `limit`: whatever does not come within that time is cancelled and not waited for.
  static func time(
    atMost limit: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) async -> Duration {
    let start = ContinuousClock.now
    let end = Mutex<Duration?>(nil)
    let task = Task {
      try? await body()
      let now = ContinuousClock.now
      end.withLock { $0 = start.duration(to: now) }
    }
    while start.duration(to: .now) < limit {
      if let end = end.withLock({ $0 }) { return end }
      try? await Task.sleep(for: .milliseconds(1))
    }
    task.cancel()
    return limit
  }

  /// The path of a JPEG of 6,000×4,000 pixels and about 2.7 MB, made once.
  static func photo() throws -> String {
    let name = "load-24mp.jpg"
    let file = Peers.made(name)
    if !FileManager.default.fileExists(atPath: file) {
      var options = EncodeOptions.jpeg(quality: 90)
      options.maxFileSize = 2_700_000
      try FileManager.default.createDirectory(
        at: URL(filePath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
      let image = Image(bitmap: try scene(PixelSize(width: 6000, height: 4000)))
      try CoderRegistry.standard.encode(image, as: options).write(to: URL(filePath: file), options: .atomic)
    }
    return file
  }

  /// A picture with edges, gradients and a little noise, so that it is as hard as a photo.
  private static func scene(_ size: PixelSize) throws(ImagingError) -> Bitmap {
    try Bitmap(size: size) { bytes in
      var state: UInt64 = 0x9E37_79B9_7F4A_7C15
      var place = 0
      for y in 0..<size.height {
        for x in 0..<size.width {
          state ^= state << 13
          state ^= state >> 7
          state ^= state << 17
          let base = 60 + (x >> 6) % 90 + ((x >> 8 ^ y >> 8) & 1) * 60
          let level = UInt8(truncatingIfNeeded: base + Int(state & 7))
          bytes[place] = level
          bytes[place + 1] = UInt8(truncatingIfNeeded: Int(level) + (y >> 7) % 30)
          bytes[place + 2] = UInt8(truncatingIfNeeded: 255 - Int(level))
          bytes[place + 3] = 255
          place += 4
        }
      }
      return true
    }
  }

  private static func kilobytes(_ file: String, _ field: String) -> Int {
    let text = (try? String(contentsOf: URL(filePath: file), encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(field) } ?? ""
    return line.split(whereSeparator: { " \t".contains($0) }).compactMap { Int($0) }.first ?? 0
  }
}

/// The most bytes that were resident while it watched, seen every few milliseconds.
final class PeakWatch: Sendable {
  private let peak = Mutex(0)
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// Begins to watch.
  init() {
    let watching = Task { [weak self] in
      while !Task.isCancelled {
        self?.look()
        try? await Task.sleep(for: .milliseconds(5))
      }
    }
    task.withLock { $0 = watching }
  }

  deinit { task.withLock { $0?.cancel() } }

  /// The most bytes so far.
  var bytes: Int {
    look()
    return peak.withLock { $0 }
  }

  private func look() {
    let now = LoadFigures.residentBytes
    peak.withLock { $0 = max($0, now) }
  }
}
