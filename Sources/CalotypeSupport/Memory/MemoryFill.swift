import Glibc

/// Fresh memory that is not zero: for tests that look for reads of bytes that nobody wrote.
///
/// With the environment variable `CALOTYPE_MEMORY_FILL`, a number from 0 to 255, pools hand out buffers of exactly the size
/// asked for, never used before and full of that byte. What is decoded with one byte and with another has to be the same.
/// glibc does the same for malloc with `MALLOC_PERTURB_`. Slow, and for nothing else.
package enum MemoryFill {
  /// The byte of this process; `nil`, as a rule, for none.
  package static let byte: UInt8? = getenv("CALOTYPE_MEMORY_FILL").flatMap { UInt8(String(cString: $0)) }
}
