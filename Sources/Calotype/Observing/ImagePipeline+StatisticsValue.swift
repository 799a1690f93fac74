extension ImagePipeline {
  /// What a pipeline has done since it was made, and what it is doing.
  public struct Statistics: Hashable, Sendable {
    /// Results found on disk.
    public var diskHits = 0
    /// Originals found on disk.
    public var originalHits = 0
    /// Originals that the server confirmed: 304 instead of the bytes.
    public var revalidations = 0
    /// Originals that were delivered although they were stale.
    public var staleHits = 0
    /// Failures of a server that were remembered on disk, and answered a request.
    public var negativeHits = 0
    /// Calls of the loader.
    public var loads = 0
    /// Originals decoded.
    public var decodes = 0
    /// Transforms made of what others had decoded or transformed.
    public var transforms = 0
    /// Disk cache operations that failed; the images were delivered all the same.
    public var cacheErrors = 0
    /// Code of the last such failure.
    public var lastCacheErrorCode: String?
    /// Images being made now.
    public var runningImageJobs = 0
    /// Originals being looked for, loaded or stored now.
    public var runningSourceJobs = 0
    /// Loads that wait for their turn, or for room for their bytes.
    public var waitingLoads = 0
    /// Loads under way.
    public var runningLoads = 0
    /// Different requests under way, those that wait included; ``ImagePipeline/Limits/waitingRequests`` is the limit.
    public var requests = 0
    /// Requests that were refused, because too many waited.
    public var refusedRequests = 0
    /// Images that wait to be encoded for callers of ``ImagePipeline/encode(_:as:priority:)``.
    public var waitingEncodes = 0
    /// Results and originals that wait to be stored.
    public var waitingStores = 0
    /// Results and originals that were not stored, because too much waited or room was short.
    public var storesShed = 0
    /// Images being decoded now.
    public var runningDecodes = 0
    /// Images that wait for their turn to be decoded.
    public var waitingDecodes = 0
    /// Bytes of pixels that are being made; ``ImagePipeline/Limits/decodedBytes`` and ``ImagePipeline/Memory/byteLimit`` are the limits.
    public var decodedBytes = 0
    /// The most there have been.
    public var peakDecodedBytes = 0
    /// Bytes of originals that arrive, wait to be decoded or are being decoded; ``ImagePipeline/Limits/encodedBytes`` and
    /// ``ImagePipeline/Memory/byteLimit`` are the limits.
    public var encodedBytes = 0
    /// The most there have been.
    public var peakEncodedBytes = 0
    /// Bytes of canvases of images that still arrive, and of their previews.
    public var arrivingBytes = 0
    /// Bytes of what waits to be stored.
    public var storeBytes = 0
    /// Bytes that are held in all; ``ImagePipeline/Memory/byteLimit`` is the limit. With those of other pipelines that share it.
    public var heldBytes = 0
    /// The most there have been.
    public var peakHeldBytes = 0
  }
}
