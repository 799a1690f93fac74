/// A pause.
extension ImagePipeline {
  /// Lets no load and no decode begin until ``resume()``. Those that run go on, and what is in memory is served as ever;
  /// all other requests wait, in the order of their priority, as long as their deadlines allow.
  public func suspend() {
    context.isSuspended = true
  }

  /// Lets what waits begin. Harmless when nothing was suspended.
  public func resume() {
    context.isSuspended = false
  }

  /// Whether ``suspend()`` is in force.
  public var isSuspended: Bool { context.isSuspended }
}
