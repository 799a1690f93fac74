import CLinux

/// Malloc of the whole process: for executables, never for a library's own accord.
package enum Allocator {
  /// Limits malloc of glibc to two arenas, at the start of a program: what one thread frees, another can use. By default there
  /// are up to eight a processor, each of which keeps what it had at its peak.
  ///
  /// What the environment says (`MALLOC_ARENA_MAX`) is left as it is.
  package static func limitArenas() {
    calotype_limit_malloc(2)
  }

  /// Bytes that are allocated and not freed; 0 where that is not known.
  package static var bytesInUse: Int { Int(clamping: calotype_malloc_in_use()) }
}
