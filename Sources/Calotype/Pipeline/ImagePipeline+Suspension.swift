/// Suspension of a pipeline.
extension ImagePipeline {
  /// Prevents loads and decodes from beginning until ``resume()``. Running ones continue, and images in
  /// memory are served as usual; all other requests wait, in the order of their priority, as long as their
  /// deadlines allow.
  public func suspend() {
    context.isSuspended = true
  }

  /// Resumes waiting work. Has no effect unless the pipeline is suspended.
  public func resume() {
    context.isSuspended = false
  }

  /// Whether the pipeline is suspended by ``suspend()``.
  public var isSuspended: Bool { context.isSuspended }
}
