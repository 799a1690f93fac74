import CLinux

/// The malloc of the whole process, for programs that embed a pipeline: the library itself does not change
/// it.
///
/// C libraries that decode and encode, tasks and small buffers use malloc. The malloc of glibc keeps freed
/// memory, permanently where a small block above it is in use. With other C libraries and allocators both
/// functions do nothing.
public enum ProcessAllocator {
  /// Limits the arenas of glibc's malloc, by default up to eight per processor, so that memory freed by one
  /// thread can be reused by another.
  ///
  /// Call it at the start of a program, before there are threads. The environment takes precedence
  /// (`MALLOC_ARENA_MAX`, `GLIBC_TUNABLES`). Source: mallopt(3), `M_ARENA_MAX`.
  public static func limitArenas(to count: Int = 2) {
    calotype_limit_malloc(Int32(clamping: max(1, count)))
  }

  /// Returns all unused pages of malloc to the system.
  ///
  /// Takes milliseconds, in which other threads may wait for malloc: call it every few seconds at most,
  /// from a thread that may block. Source: malloc_trim(3).
  ///
  /// - Returns: Whether any memory was returned.
  @discardableResult public static func trim() -> Bool {
    calotype_trim_malloc() != 0
  }
}
