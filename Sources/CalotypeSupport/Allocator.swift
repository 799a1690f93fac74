import CLinux

/// Malloc of the whole process: for executables, never for a library's own accord.
package enum Allocator {
  /// Limits malloc of glibc to two arenas, at the start of a program: what one thread frees, another can use. By default there
  /// are up to eight a processor, each of which keeps what it had at its peak.
  ///
  /// Costs no time that can be measured. What the environment says (`MALLOC_ARENA_MAX`) is left as it is.
  package static func limitArenas() {
    calotype_limit_malloc(2, 0, 0)
  }

  /// ``limitArenas()``, and blocks of 1 MiB and more are always in pages of their own, so that they leave nothing behind: for
  /// programs that run for long. Glibc otherwise raises that limit to 32 MiB as such blocks are freed.
  ///
  /// Coefficients of progressive JPEG are such blocks: their decodes take up to a quarter more time, for fresh pages.
  package static func tuneForServers() {
    calotype_limit_malloc(2, 1 << 20, 1 << 20)
  }

  /// Gives the free pages of all arenas back to the system: for a program that has nothing to do for a while.
  ///
  /// - Complexity: O(memory that malloc holds): milliseconds, during which other threads wait for memory. Blocks; call it off
  ///   the cooperative pool.
  /// - Returns: Whether anything was given back.
  @discardableResult package static func giveBack() -> Bool {
    calotype_trim_malloc() != 0
  }

  /// Bytes that are allocated and not freed; 0 where that is not known.
  package static var bytesInUse: Int { Int(clamping: calotype_malloc_in_use()) }
}
