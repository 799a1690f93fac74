import FoundationEssentials
import Glibc

/// What a process that has nothing to do should not have more of than before.
struct ProcessFigures: CustomStringConvertible {
  /// Open files, sockets and the like.
  let descriptors: Int
  let threads: Int
  /// Bytes that were allocated and not freed.
  let allocatedBytes: Int
  /// Bytes resident that are not those of files, after the allocator has given back what it can: with holes between what
  /// is still in use.
  let residentBytes: Int

  /// Those of this process, now.
  static var now: ProcessFigures {
    typealias Trim = @convention(c) (Int) -> CInt
    if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
    return ProcessFigures(
      // The folder itself is open while it is read.
      descriptors: entries(of: "/proc/self/fd") - 1, threads: entries(of: "/proc/self/task"),
      allocatedBytes: allocatedBytes, residentBytes: residentBytes)
  }

  /// Those of this process once they are as `isSettled` wants them, or after that time: threads of the pool end only
  /// after a while.
  static func settled(
    within limit: Duration, _ isSettled: (ProcessFigures) -> Bool
  ) async -> ProcessFigures {
    let start = ContinuousClock.now
    while true {
      let figures = ProcessFigures.now
      if isSettled(figures) || start.duration(to: .now) >= limit { return figures }
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  var description: String {
    "\(descriptors) descriptors, \(threads) threads, \(allocatedBytes >> 10) KiB allocated, \(residentBytes >> 10) resident"
  }

  /// What `malloc_info` says of all arenas together, at the end of its report: what they got from the system, less what
  /// is free in them.
  private static var allocatedBytes: Int {
    typealias Report = @convention(c) (CInt, UnsafeMutablePointer<FILE>?) -> CInt
    var text: UnsafeMutablePointer<CChar>?
    var count = 0
    // Found by name, because the module of the C library hides its header.
    guard let symbol = dlsym(nil, "malloc_info"), let file = open_memstream(&text, &count) else { return 0 }
    _ = unsafeBitCast(symbol, to: Report.self)(0, file)
    fclose(file)
    defer { free(text) }
    guard let text else { return 0 }
    let totals = String(cString: text).split(separator: "</heap>").last ?? ""
    func size(_ start: String) -> Int {
      let line = totals.split(separator: "\n").first { $0.hasPrefix(start) } ?? ""
      return line.split(separator: "\"").dropLast().last.flatMap { Int($0) } ?? 0
    }
    return size("<system type=\"current\"") + size("<total type=\"mmap\"") - size("<total type=\"fast\"")
      - size("<total type=\"rest\"")
  }

  private static func entries(of folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
  }

  private static var residentBytes: Int {
    let text = (try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
    return (line.split(whereSeparator: { " \t".contains($0) }).compactMap { Int($0) }.first ?? 0) << 10
  }
}
