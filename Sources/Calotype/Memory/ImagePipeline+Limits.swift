import CalotypeSupport

extension ImagePipeline {
  /// How much a pipeline does at a time, and how much may wait. What goes beyond waits, the most urgent first; what may not
  /// wait either is refused with ``PipelineError/overloaded(_:waiting:retryAfter:)``.
  ///
  /// Numbers of threads follow from the processors that the process may use: those of its affinity mask and of the quota of its
  /// control group. How many bytes are held meanwhile is up to ``ImagePipeline/Configuration/memory``.
  ///
  /// Each pipeline has its own limits. What several pipelines load together is bounded by the loader that they share, and
  /// what they hold by the ``ImagePipeline/Memory`` that they share.
  public struct Limits: Hashable, Sendable {
    /// Images decoded at a time: one a processor.
    public var decodes = Threads.availableProcessors
    /// Pictures transformed at a time: one a processor.
    public var transforms = Threads.availableProcessors
    /// Images encoded at a time for callers of ``ImagePipeline/encode(_:as:priority:)``: one a processor.
    public var encodes = Threads.availableProcessors
    /// Results and originals that are stored at a time, encoding included: one for two processors, at least two.
    public var stores = max(2, Threads.availableProcessors / 2)
    /// Loads at a time. The loader has limits of its own for transfers: to raise this one, raise those as well.
    ///
    /// Sources without a host, such as files, streams and bytes at hand, have as many places of their own, and are no origin.
    public var loads = 32
    /// Loads of one origin at a time. Besides, an origin gets no further place while it holds as many as are free, so that
    /// a few slow ones never take all. As many as ``loads`` or more lift both.
    public var loadsPerOrigin = 6
    /// Requests that may be under way, those that wait for their turn included. One origin may have as many waiting as it
    /// leaves free for others.
    public var waitingRequests = 10_000
    /// Callers that may wait for these: many can wait for one image.
    public var callers = 100_000
    /// Results and originals that may wait to be stored. What exceeds that is not stored.
    public var waitingStores = 1_000
    /// The most bytes that pixels may take; `nil` for no limit of their own. For a pipeline without a
    /// ``ImagePipeline/Configuration/memory`` that it was given: that has only its ``ImagePipeline/Memory/byteLimit``.
    public var decodedBytes: Int?
    /// The most bytes that encoded originals may take which are being loaded or wait to be decoded; `nil` for no limit of
    /// their own. As ``decodedBytes``, for a pipeline that was given no memory. A body that declares more than can ever be held,
    /// or grows beyond what is free, is collected in a temporary file.
    public var encodedBytes: Int?

    /// The limits for this machine.
    public init() {}
  }
}
