import CLinux

/// Malloc of the whole process, for programs that embed a pipeline: the library leaves it as it is.
///
/// Memory of C libraries that decode and encode, tasks and small buffers come from malloc. The malloc of glibc keeps freed
/// memory, for good where a small block above it is in use. With other C libraries and allocators both functions do nothing.
public enum ProcessAllocator {
  /// Limits the arenas of glibc's malloc, which are up to eight a processor by default: what one thread frees, another can use.
  ///
  /// To be called at the start of a program, before there are threads. The environment has the last word (`MALLOC_ARENA_MAX`,
  /// `GLIBC_TUNABLES`). Source: mallopt(3), `M_ARENA_MAX`.
  public static func limitArenas(to count: Int = 2) {
    calotype_limit_malloc(Int32(clamping: max(1, count)))
  }

  /// Gives back to the system all pages of malloc that nothing lives on.
  ///
  /// Takes milliseconds, in which other threads may wait for malloc: every few seconds is often enough, from a thread that may
  /// block. Source: malloc_trim(3).
  ///
  /// - Returns: Whether there was anything to give back.
  @discardableResult public static func trim() -> Bool {
    calotype_trim_malloc() != 0
  }
}
