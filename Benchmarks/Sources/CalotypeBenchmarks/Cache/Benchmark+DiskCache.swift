import BenchmarkHarness
import CalotypeCaching
import Dispatch
import Foundation
import Glibc

extension Benchmark {
  /// The disk cache against bare system calls: what it costs to be sure of the bytes.
  static var diskCache: [Benchmark] {
    [reading(20), reading(200), storing(20), storing(200), atomic(20), missing, handingOver]
      + [100_000, 1_000_000].map { opening($0) }
  }

  private static let repetitions = 2000

  private static func reading(_ kilobytes: Int) -> Benchmark {
    let name = "cache/disk read/\(kilobytes) KB"
    return Benchmark(name: name, bar: kilobytes == 20 ? .ratio(2) : nil) { rounds in
      let folder = try BenchmarkFolder()
      let cache = DiskCache(.init(folder: folder.url))
      let key = CacheKey("https://example.org/photos/2024/summer/IMG_20240811_0042.jpg?size=large")
      let data = noise(kilobytes << 10)
      try wait { try await cache.store(data, metadata: RecordMetadata(contentType: "image/jpeg"), for: key) }
      let path = try folder.onlyRecord()
      var buffer = [UInt8](repeating: 0, count: data.count + 4096)
      return try Measurement.ratio(name, to: "open, fstat, read, close", rounds: rounds) { () throws in
        try wait {
          for _ in 0..<repetitions { _ = try await cache.read(key) }
        }
      } limit: {
        for _ in 0..<repetitions {
          let file = open(path, O_RDONLY | O_CLOEXEC)
          var status = stat()
          fstat(file, &status)
          _ = read(file, &buffer, Int(status.st_size))
          close(file)
        }
      }
    }
  }

  private static var missing: Benchmark {
    let name = "cache/disk miss"
    return Benchmark(name: name) { rounds in
      let folder = try BenchmarkFolder()
      let cache = DiskCache(.init(folder: folder.url))
      try wait { try await cache.store(noise(1000), for: CacheKey("another")) }
      let key = CacheKey("nothing")
      let path = folder.url.appending(path: "nothing").path
      return try Measurement.ratio(name, to: "access of no file", rounds: rounds) { () throws in
        try wait {
          for _ in 0..<repetitions { _ = try await cache.read(key) }
        }
      } limit: {
        for _ in 0..<repetitions { _ = access(path, R_OK) }
      }
    }
  }

  private static func storing(_ kilobytes: Int) -> Benchmark {
    let name = "cache/disk store/\(kilobytes) KB"
    return Benchmark(name: name) { rounds in
      let folder = try BenchmarkFolder()
      let cache = DiskCache(.init(folder: folder.url.appending(path: "cache")))
      let data = noise(kilobytes << 10)
      let keys = (0..<200).map { CacheKey("record \($0)") }
      return try Measurement.ratio(name, to: "open, write, fsync, close, rename", rounds: rounds) {
        () throws in
        for key in keys { try cache.handOver(data, for: key) }
        try wait { try await cache.flush() }
      } limit: {
        try data.withUnsafeBytes { raw in
          for number in 0..<200 {
            let temporary = folder.url.path + "/temporary"
            let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard write(file, raw.baseAddress, raw.count) == raw.count, fsync(file) == 0 else {
              throw POSIXError(.EIO)
            }
            close(file)
            rename(temporary, folder.url.path + "/record \(number)")
          }
          try synchronize(folder.url.path)
        }
      }
    }
  }

  private static func atomic(_ kilobytes: Int) -> Benchmark {
    let name = "cache/disk store/\(kilobytes) KB by Foundation"
    return Benchmark(name: name, bar: .ratio(1.1)) { rounds in
      let folder = try BenchmarkFolder()
      let cache = DiskCache(.init(folder: folder.url.appending(path: "cache")))
      let data = noise(kilobytes << 10)
      let keys = (0..<200).map { CacheKey("record \($0)") }
      return try Measurement.ratio(name, to: "Data.write(.atomic), fsync", rounds: rounds) { () throws in
        for key in keys { try cache.handOver(data, for: key) }
        try wait { try await cache.flush() }
      } limit: {
        for number in 0..<200 {
          let file = folder.url.appending(path: "record \(number)")
          try data.write(to: file, options: .atomic)
          try synchronize(file.path)
        }
        try synchronize(folder.url.path)
      }
    }
  }

  /// Waits until a file or folder is on the device, as `flush()` does for records and their folders.
  private static func synchronize(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    guard fsync(file) == 0 else { throw POSIXError(.EIO) }
  }

  /// What the caller waits, while the thread of the cache writes beside it.
  private static var handingOver: Benchmark {
    let name = "cache/disk hand-over/20 KB"
    return Benchmark(name: name, bar: .ratio(1)) { rounds in
      let folder = try BenchmarkFolder()
      let cache = DiskCache(.init(folder: folder.url))
      let data = noise(20 << 10)
      let keys = (0..<500).map { CacheKey("record \($0)") }
      return try Measurement.ratioOfTimes(name, to: "a microsecond each", rounds: rounds) {
        let start = ContinuousClock.now
        for key in keys { try cache.handOver(data, for: key) }
        let elapsed = ContinuousClock.now - start
        try wait { try await cache.flush() }
        return elapsed / .milliseconds(1)
      } limitMilliseconds: {
        Double(keys.count) / 1000
      }
    }
  }

  /// The index of so many records, in memory and not.
  private static func opening(_ count: Int) -> Benchmark {
    let name = "cache/disk open/\(count) records"
    return Benchmark(name: name) { rounds in
      let folder = try BenchmarkFolder()
      let configuration = DiskCache.Configuration(
        folder: folder.url, byteLimit: .max, countLimit: .max, stagingByteLimit: .max)
      try wait {
        let cache = DiskCache(configuration)
        for number in 0..<count {
          try cache.handOver(Data([1]), for: CacheKey("record \(number)"))
          if number.isMultiple(of: 10_000) { try await cache.flush() }
        }
        try await cache.flush()
      }
      let files = ["v2/index", "v2/journal"].map { folder.url.appending(path: $0).path }
      return try [false, true].map { isCold in
        let variant = "\(name), \(isCold ? "not in memory" : "in memory")"
        let measurement = try Measurement.ratioOfTimes(variant, to: "150 ms", rounds: min(rounds, 5)) {
          if isCold { for file in files { forget(file) } }
          let start = ContinuousClock.now
          try wait {
            guard try await DiskCache(configuration).statistics().count == count else {
              throw POSIXError(.EIO)
            }
          }
          return (ContinuousClock.now - start) / .milliseconds(1)
        } limitMilliseconds: {
          150
        }
        return BenchmarkResult(name: variant, bar: .ratio(1), outcome: .measured(measurement))
      }
    }
  }

  /// Puts a file out of the page cache.
  private static func forget(_ path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    fsync(file)
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    close(file)
  }

  private static func noise(_ count: Int) -> Data {
    var state: UInt64 = 1
    return Data(
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      })
  }

  /// Runs a task to its end.
  private static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
    let result = Ending()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await body() } catch { result.error = error }
      done.signal()
    }
    done.wait()
    if let error = result.error { throw error }
  }

  // `@unchecked`: written before the semaphore is signalled, read after.
  private final class Ending: @unchecked Sendable {
    var error: (any Error)?
  }
}

/// A folder for one benchmark, removed when it is let go.
final class BenchmarkFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "calotype-bench-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of the one record of a cache that is here.
  func onlyRecord() throws -> String {
    let version = url.appending(path: "v2")
    for name in try FileManager.default.contentsOfDirectory(atPath: version.path) where name.count == 2 {
      let folder = version.appending(path: name)
      if let record = try FileManager.default.contentsOfDirectory(atPath: folder.path).first {
        return folder.appending(path: record).path
      }
    }
    throw Skipped(reason: "no record was stored")
  }
}
