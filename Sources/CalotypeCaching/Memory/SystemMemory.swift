import Glibc

/// How much memory this process may use.
enum SystemMemory {
  /// A quarter of what is there, at most 512 MiB.
  static let defaultCacheLimit = cacheLimit(
    memory: min(physical, controlGroupLimit(root: "", membership: read("/proc/self/cgroup") ?? "") ?? .max))

  static func cacheLimit(memory: Int) -> Int {
    min(memory / 4, 512 << 20)
  }

  /// Memory of the machine in bytes.
  static var physical: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let size = sysconf(Int32(_SC_PAGESIZE))
    // A system that does not say gets the cache of a small machine.
    return pages > 0 && size > 0 ? pages * size : 1 << 30
  }

  /// The lowest limit of the control groups above this process, version 2 or 1; `nil` when there is none.
  ///
  /// - Parameters:
  ///   - root: Where the file tree begins; empty outside of tests.
  ///   - membership: The text of `/proc/self/cgroup`: lines of `id:controllers:path`.
  static func controlGroupLimit(root: String, membership: String) -> Int? {
    var lowest: Int?
    for line in membership.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let base: String
      let file: String
      if fields[0] == "0", fields[1].isEmpty {
        (base, file) = ("/sys/fs/cgroup", "memory.max")
      } else if fields[1].split(separator: ",").contains("memory") {
        (base, file) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
      } else {
        continue
      }
      // A limit anywhere above holds too. Inside a container the path may be the host's and not be there: then
      // the group is mounted at the root.
      var components = fields[2].split(separator: "/").filter { $0 != ".." && $0 != "." }
      while true {
        let path = ([root + base] + components.map(String.init) + [file]).joined(separator: "/")
        if let text = read(path), let limit = Int(text.prefix { $0.isNumber }), limit > 0 {
          lowest = min(lowest ?? limit, limit)
        }
        if components.popLast() == nil { break }
      }
    }
    return lowest
  }

  /// The first 64 KiB of a file as text; these files have a few lines.
  private static func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress.map { $0 + length }, buffer.count - length)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      length += count
    }
    return String(decoding: bytes[..<length], as: UTF8.self)
  }
}
