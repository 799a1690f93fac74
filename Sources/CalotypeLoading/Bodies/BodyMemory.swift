/// Grants memory for the bytes of a body before they are read.
package protocol BodyMemory: Sendable {
  /// Waits for room for a body of this declared length. False: collect it in a file instead of memory.
  ///
  /// Called once at most, before anything is read: the server is held back meanwhile.
  ///
  /// - Throws: What the load is to fail with; `CancellationError`.
  func reserve(_ declared: Int) async throws -> Bool

  /// Room for `count` bytes in all, asked before a chunk is read beyond what was granted. Does not wait. False: to a file
  /// from now on; it is not asked again.
  func grow(to count: Int) -> Bool
}
