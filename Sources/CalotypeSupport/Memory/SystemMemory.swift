import Glibc

/// How much memory this process may use.
package enum SystemMemory {
  /// A quarter of what is there, at most 512 MiB.
  package static let defaultCacheLimit = cacheLimit(memory: availableToThisProcess)

  /// Bytes this process may use: what the machine has or its control groups allow, whichever is less. Reads files.
  package static var availableToThisProcess: Int { available(controlGroups: .ofThisProcess) }

  package static func cacheLimit(memory: Int) -> Int {
    min(memory / 4, 512 << 20)
  }

  /// What the machine has or the groups allow, whichever is less.
  package static func available(controlGroups: MemoryControlGroups) -> Int {
    min(physical, controlGroups.limit ?? .max)
  }

  /// Memory of the machine in bytes.
  package static var physical: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let size = sysconf(Int32(_SC_PAGESIZE))
    // A system that does not say gets the cache of a small machine.
    return pages > 0 && size > 0 ? pages * size : 1 << 30
  }
}

extension MemoryControlGroups {
  /// Those that this process is in now.
  package static var ofThisProcess: MemoryControlGroups {
    MemoryControlGroups(root: "", membership: SmallFile.text("/proc/self/cgroup") ?? "")
  }
}
