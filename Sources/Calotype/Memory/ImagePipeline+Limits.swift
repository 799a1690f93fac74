import CalotypeSupport

extension ImagePipeline {
  /// The limits of concurrent and waiting work of a pipeline. Work beyond the concurrency limits waits, the
  /// most urgent first; work beyond the waiting limits is rejected with
  /// ``PipelineError/overloaded(_:waiting:retryAfter:)``.
  ///
  /// Numbers of threads depend on the processors that the process may use: those of its affinity mask and
  /// of the quota of its control group. ``ImagePipeline/Configuration/memory`` bounds the bytes held
  /// meanwhile.
  ///
  /// Each pipeline has its own limits. The loads of several pipelines together are bounded by the loader
  /// that they share, and their memory by the ``ImagePipeline/Memory`` that they share.
  public struct Limits: Hashable, Sendable {
    /// The number of images decoded at a time: one per processor.
    public var decodes = Threads.availableProcessors
    /// The number of images transformed at a time: one per processor.
    public var transforms = Threads.availableProcessors
    /// The number of images encoded at a time for callers of ``ImagePipeline/encode(_:as:priority:)``: one
    /// per processor.
    public var encodes = Threads.availableProcessors
    /// The number of results and originals stored at a time, encoding included: one per two processors, at
    /// least two.
    public var stores = max(2, Threads.availableProcessors / 2)
    /// The number of loads at a time. The loader has its own limits for transfers: to raise this one, raise
    /// those as well.
    ///
    /// Sources without a host, such as files, streams and bytes at hand, have the same number of separate
    /// places, and belong to no origin.
    public var loads = 32
    /// The number of loads of one origin at a time. In addition, an origin gets no further place while it
    /// holds as many as are free, so that a few slow origins never take all. A value of ``loads`` or more
    /// lifts both limits.
    public var loadsPerOrigin = 6
    /// The number of requests in progress, including those that wait for their turn. One origin may have as
    /// many waiting requests as it leaves free for others.
    public var waitingRequests = 10_000
    /// The number of callers that may wait for these requests: many can wait for one image.
    public var callers = 100_000
    /// The number of results and originals that may wait to be stored. Those beyond it are not stored.
    public var waitingStores = 1_000
    /// The maximum number of bytes of pixels; `nil` for no separate limit. Applies only to a pipeline whose
    /// ``ImagePipeline/Configuration/memory`` is `nil`: an explicit memory has only its
    /// ``ImagePipeline/Memory/byteLimit``.
    public var decodedBytes: Int?
    /// The maximum number of bytes of encoded originals that are being loaded or wait to be decoded; `nil`
    /// for no separate limit. Like ``decodedBytes``, it applies only to a pipeline without an explicit
    /// memory. A body that declares more than can ever be held, or grows beyond the free bytes, is
    /// collected in a temporary file.
    public var encodedBytes: Int?

    /// Creates the default limits for this machine.
    public init() {}
  }
}
