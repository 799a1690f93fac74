import CalotypeCaching
import CalotypeSupport

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
    /// Loads that wait until there is room for their bytes.
    public var waitingLoads = 0
    /// Images being decoded now.
    public var runningDecodes = 0
    /// Images that wait for their turn to be decoded.
    public var waitingDecodes = 0
    /// Bytes of pixels that are under way; ``PipelineLimits/decodedBytes`` is the limit.
    public var decodedBytes = 0
    /// The most there have been.
    public var peakDecodedBytes = 0
    /// Bytes of originals that are waiting to be decoded or being decoded; ``PipelineLimits/encodedBytes`` is the limit.
    public var encodedBytes = 0
    /// The most there have been.
    public var peakEncodedBytes = 0
  }
}

/// Counters that jobs raise from any thread.
final class PipelineCounters: Sendable {
  private let number = Lock(0)

  /// A number that no other request has.
  func nextNumber() -> Int {
    number.withLock { number in
      number += 1
      return number
    }
  }

  private let statistics = Lock(ImagePipeline.Statistics())

  func count(_ change: (inout ImagePipeline.Statistics) -> Void) {
    statistics.withLock { change(&$0) }
  }

  /// A cancelled operation is no failure of the cache.
  func count(cacheError error: any Error) {
    if error is CancellationError || error as? CachingError == .cancelled { return }
    guard let error = error as? any CalotypeError else { return }
    count {
      $0.cacheErrors += 1
      $0.lastCacheErrorCode = error.code
    }
  }

  var snapshot: ImagePipeline.Statistics { statistics.withLock { $0 } }
}
