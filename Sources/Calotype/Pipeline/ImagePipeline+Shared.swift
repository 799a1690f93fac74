import CalotypeSupport

extension ImagePipeline {
  private struct Shared {
    var pipeline: ImagePipeline?
    var isUsed = false
  }

  private static let sharedState = Lock(Shared())

  /// The pipeline of the program: the one passed to ``bootstrap(_:)``, otherwise one for untrusted URLs
  /// with all defaults.
  public static var shared: ImagePipeline {
    // Created outside the lock, because that opens caches; of two concurrent ones, the first is kept.
    let known = sharedState.withLock { state in
      state.isUsed = true
      return state.pipeline
    }
    if let known { return known }
    let new = ImagePipeline(urls: .untrusted)
    return sharedState.withLock { state in
      let pipeline = state.pipeline ?? new
      state.pipeline = pipeline
      return pipeline
    }
  }

  /// Sets the ``shared`` pipeline of the program. Call it once, before ``shared`` is used.
  public static func bootstrap(_ pipeline: ImagePipeline) {
    let isFirst = sharedState.withLock { state in
      guard !state.isUsed, state.pipeline == nil else { return false }
      state.pipeline = pipeline
      return true
    }
    precondition(
      isFirst, "ImagePipeline.bootstrap(_:) was called twice, or after ImagePipeline.shared had been used")
  }
}
