import FoundationEssentials
import Glibc

/// The memory of this process.
enum ProcessMemory {
  /// The bytes in memory, with those of files that it maps; `nil` without `/proc`.
  static var residentBytes: Int? {
    guard let data = try? Data(contentsOf: URL(filePath: "/proc/self/statm")) else { return nil }
    let fields = String(decoding: data, as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
