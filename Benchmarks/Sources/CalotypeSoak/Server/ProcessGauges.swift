import Glibc

/// What the process has of memory, threads and descriptors, read without touching any of them: unlike ``ProcessFigures``,
/// which has the allocator tidy up first.
struct ProcessGauges: Sendable {
  var residentBytes = 0
  var threads = 0
  var descriptors = 0

  /// Those of this process, now.
  static var now: ProcessGauges {
    ProcessGauges(
      residentBytes: residentPages * 4096, threads: count("/proc/self/task"),
      // The folder itself is open while it is read.
      descriptors: count("/proc/self/fd") - 1)
  }

  /// The larger of each.
  func maximum(_ other: ProcessGauges) -> ProcessGauges {
    ProcessGauges(
      residentBytes: max(residentBytes, other.residentBytes), threads: max(threads, other.threads),
      descriptors: max(descriptors, other.descriptors))
  }

  private static var residentPages: Int {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
      let count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
      // Pages of the program, and pages resident.
      return buffer[..<count].split(separator: UInt8(ascii: " ")).dropFirst().first.map { digits in
        digits.reduce(0) { $0 * 10 + Int($1) - 48 }
      } ?? 0
    }
  }

  private static func count(_ folder: String) -> Int {
    guard let stream = opendir(folder) else { return 0 }
    defer { closedir(stream) }
    var count = 0
    while let entry = readdir(stream) {
      if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
    }
    return count
  }
}
