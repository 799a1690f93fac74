/// Grants memory for the bytes of a body before they are read.
package protocol BodyMemory: Sendable {
  /// Waits for memory for all of a body of this declared length, or for its beginning.
  ///
  /// Called at most once, before anything is read: the server is held back meanwhile (back-pressure).
  ///
  /// - Returns: The bytes granted; ``grow(to:)`` asks for more. `nil`: collect the body in a file.
  /// - Throws: The error to fail the load with; `CancellationError`.
  func reserve(_ declared: Int) async throws -> Int?

  /// Grants `count` bytes in all, before a chunk is read beyond the last grant. Does not wait. `false`: collect the
  /// body in a file from now on; it is not asked again.
  func grow(to count: Int) -> Bool

  /// Returns the granted memory, because the body is in a file from now on.
  func giveBack()
}
