public import CalotypeIsolation

extension ImagePipeline {
  /// The counters of a pipeline since its creation, and its present activity.
  public struct Statistics: Hashable, Sendable {
    /// The number of results found on disk.
    public var diskHits = 0
    /// The number of originals found on disk.
    public var originalHits = 0
    /// The number of originals that the server confirmed, with a 304 instead of the bytes.
    public var revalidations = 0
    /// The number of stale originals delivered.
    public var staleHits = 0
    /// The number of requests answered by a remembered failure on disk.
    public var negativeHits = 0
    /// The number of calls of the loader.
    public var loads = 0
    /// The number of originals decoded.
    public var decodes = 0
    /// The number of images encoded for callers of ``ImagePipeline/encoded(_:as:)-(ImageRequest,EncodeOptions)``.
    public var encodes = 0
    /// The number of transforms applied to the results of other jobs.
    public var transforms = 0
    /// The number of failed disk cache operations; the images were delivered nevertheless.
    public var cacheErrors = 0
    /// The code of the last such failure.
    public var lastCacheErrorCode: String?
    /// The number of images being made now.
    public var runningImageJobs = 0
    /// The number of originals being looked up, loaded or stored now.
    public var runningSourceJobs = 0
    /// The number of loads that wait for their turn, or for memory for their bytes.
    public var waitingLoads = 0
    /// The number of running loads.
    public var runningLoads = 0
    /// The number of distinct requests in progress, including waiting ones; limited by
    /// ``ImagePipeline/Limits/waitingRequests``.
    public var requests = 0
    /// The number of requests that were rejected, because too many waited.
    public var refusedRequests = 0
    /// The number of images that wait to be encoded for callers of
    /// ``ImagePipeline/encode(_:as:priority:)``.
    public var waitingEncodes = 0
    /// The number of results and originals that wait to be stored.
    public var waitingStores = 0
    /// The number of results and originals that were not stored, because too many waited or memory was
    /// short.
    public var storesShed = 0
    /// The number of images being decoded now.
    public var runningDecodes = 0
    /// The number of images that wait for their turn to be decoded.
    public var waitingDecodes = 0
    /// The number of bytes of pixels being made; limited by ``ImagePipeline/Limits/decodedBytes`` and
    /// ``ImagePipeline/Memory/byteLimit``.
    public var decodedBytes = 0
    /// The peak of the bytes of pixels.
    public var peakDecodedBytes = 0
    /// The number of bytes of originals that are arriving, waiting to be decoded or being decoded; limited
    /// by ``ImagePipeline/Limits/encodedBytes`` and ``ImagePipeline/Memory/byteLimit``.
    public var encodedBytes = 0
    /// The peak of the bytes of originals.
    public var peakEncodedBytes = 0
    /// The number of bytes of canvases and previews of images that are still arriving.
    public var arrivingBytes = 0
    /// The number of bytes of data that waits to be stored.
    public var storeBytes = 0
    /// The total number of bytes held, including those of other pipelines that share the memory; limited by
    /// ``ImagePipeline/Memory/byteLimit``.
    public var heldBytes = 0
    /// The peak of the total.
    public var peakHeldBytes = 0
    /// The counters of the processes that decode; `nil` if this one does.
    public var sandbox: SandboxStatistics?
  }
}
