import CLinux

/// The malloc of the process.
package enum Allocator {
  /// Bytes that are allocated and not freed; 0 where unknown.
  package static var bytesInUse: Int { Int(clamping: calotype_malloc_in_use()) }
}
