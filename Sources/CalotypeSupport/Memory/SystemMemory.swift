import Glibc

/// The memory that this process may use.
package enum SystemMemory {
  /// A quarter of the available memory, at most 512 MiB.
  package static let defaultCacheLimit = cacheLimit(memory: availableToThisProcess)

  /// The bytes that this process may use: the memory of the machine or the limit of its control groups, whichever is
  /// less. Reads files.
  package static var availableToThisProcess: Int { available(controlGroups: .ofThisProcess) }

  package static func cacheLimit(memory: Int) -> Int {
    min(memory / 4, 512 << 20)
  }

  /// The memory of the machine or the limit of the groups, whichever is less.
  package static func available(controlGroups: MemoryControlGroups) -> Int {
    min(physical, controlGroups.limit ?? .max)
  }

  /// Memory of the machine in bytes.
  package static var physical: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let size = sysconf(Int32(_SC_PAGESIZE))
    // If the system does not say, assume a small machine.
    return pages > 0 && size > 0 ? pages * size : 1 << 30
  }
}

extension MemoryControlGroups {
  /// The present control groups of this process.
  package static var ofThisProcess: MemoryControlGroups {
    MemoryControlGroups(root: "", membership: SmallFile.text("/proc/self/cgroup") ?? "")
  }
}
