import CalotypeCaching
import CalotypeImaging

extension ImagePipeline {
  /// The outcome of a request, as reported to a ``PipelineObserving``.
  public enum RequestOutcome: Sendable {
    /// Facts about a delivered image or delivered data.
    public struct Success: Hashable, Sendable {
      /// The source of the image.
      public let source: ImageResponse.Source
      /// The number of encoded bytes; `nil` for an image from memory.
      public let byteCount: Int?
      /// Whether it is stale.
      public let isStale: Bool

      init(source: ImageResponse.Source, byteCount: Int?, isStale: Bool) {
        self.source = source
        self.byteCount = byteCount
        self.isStale = isStale
      }
    }

    /// The request delivered an image or data.
    case succeeded(Success)
    /// The request failed with an error. Includes events with a stale image whose revalidation failed.
    case failed(any Error)
    /// The task was cancelled, or all iterators of its events were released.
    case cancelled

    init(_ response: ImageResponse) {
      self = .succeeded(
        Success(source: response.source, byteCount: response.byteCount, isStale: response.isStale))
    }

    init(_ response: DataResponse) {
      self = .succeeded(
        Success(source: response.source, byteCount: response.data.count, isStale: response.isStale))
    }

    init(_ response: InfoResponse) {
      self = .succeeded(
        Success(source: response.source, byteCount: response.loadedByteCount, isStale: response.isStale))
    }

    init(_ image: EncodedImage) {
      self = .succeeded(
        Success(source: image.source, byteCount: image.data.count, isStale: image.isStale))
    }

    init(_ error: any Error) {
      self = error.isCancellation ? .cancelled : .failed(error)
    }
  }
}

extension Error {
  /// Whether the error only means that the result is no longer wanted.
  var isCancellation: Bool {
    self is CancellationError || self as? ImagingError == .cancelled || self as? CachingError == .cancelled
  }
}
