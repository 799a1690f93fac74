/// Grants memory for the bytes of a body before they are read.
package protocol BodyMemory: Sendable {
  /// Waits for room for the beginning of a body of this declared length, or for all of it.
  ///
  /// Called once at most, before anything is read: the server is held back meanwhile.
  ///
  /// - Returns: The bytes that there is room for; for more, ``grow(to:)`` is asked. `nil`: collect the body in a file.
  /// - Throws: What the load is to fail with; `CancellationError`.
  func reserve(_ declared: Int) async throws -> Int?

  /// Room for `count` bytes in all, asked before a chunk is read beyond what was granted. Does not wait. False: to a file
  /// from now on; it is not asked again.
  func grow(to count: Int) -> Bool

  /// The body is in a file from now on: what was granted is free again.
  func giveBack()
}
