import Glibc

/// How much memory this process may use.
package enum ProcessMemory {
  /// What the machine has or the control groups allowed at the first look, whichever is less.
  package static let limit = limit(
    physical: physical, membership: SmallFile.text("/proc/self/cgroup") ?? "", contents: SmallFile.text)

  /// - Parameters:
  ///   - membership: The text of `/proc/self/cgroup`: lines of `id:controllers:path`.
  ///   - contents: Reads a file.
  static func limit(physical: Int, membership: String, contents: (String) -> String?) -> Int {
    var limit = physical
    for line in membership.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let isVersion2 = fields[0] == "0" && fields[1].isEmpty
      guard isVersion2 || fields[1].split(separator: ",").contains("memory") else { continue }
      let base = isVersion2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
      let file = isVersion2 ? "memory.max" : "memory.limit_in_bytes"
      // A limit anywhere above holds too. Inside a container the group itself is mounted at the root.
      var components = fields[2].split(separator: "/").filter { $0 != ".." && $0 != "." }.map(String.init)
      while true {
        let text = contents(([base] + components + [file]).joined(separator: "/"))
        // `max` is no number.
        if let bytes = text.flatMap({ Int($0.prefix { $0.isNumber }) }), bytes > 0 {
          limit = min(limit, bytes)
        }
        if components.popLast() == nil { break }
      }
    }
    return limit
  }

  private static var physical: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let size = sysconf(Int32(_SC_PAGESIZE))
    // A system that does not say is taken for a small one.
    return pages > 0 && size > 0 ? pages * size : 1 << 30
  }
}
