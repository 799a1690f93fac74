import Glibc

/// Fills fresh memory with a byte, for tests that detect reads of uninitialised memory.
///
/// With the environment variable `CALOTYPE_MEMORY_FILL`, a number from 0 to 255, pools return buffers of exactly the
/// requested size, never used before and filled with that byte. Decoding must give the same result for every byte.
/// glibc does the same for malloc with `MALLOC_PERTURB_`. It is slow, and only for such tests.
package enum MemoryFill {
  /// The fill byte of this process; usually `nil`.
  package static let byte: UInt8? = getenv("CALOTYPE_MEMORY_FILL").flatMap { UInt8(String(cString: $0)) }
}
