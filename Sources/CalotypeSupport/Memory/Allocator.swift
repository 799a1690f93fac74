import CLinux

/// Malloc of the whole process.
package enum Allocator {
  /// Bytes that are allocated and not freed; 0 where that is not known.
  package static var bytesInUse: Int { Int(clamping: calotype_malloc_in_use()) }
}
