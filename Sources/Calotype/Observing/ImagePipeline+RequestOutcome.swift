import CalotypeCaching
import CalotypeImaging

extension ImagePipeline {
  /// How a request ended, as a ``PipelineObserving`` sees it.
  public enum RequestOutcome: Sendable {
    /// What is known of an image or of data that was delivered.
    public struct Success: Hashable, Sendable {
      /// Where it was found.
      public let source: ImageResponse.Source
      /// Encoded bytes; `nil` for an image from memory.
      public let byteCount: Int?
      /// Whether it is past its freshness.
      public let isStale: Bool

      init(source: ImageResponse.Source, byteCount: Int?, isStale: Bool) {
        self.source = source
        self.byteCount = byteCount
        self.isStale = isStale
      }
    }

    /// With an image, or with data.
    case succeeded(Success)
    /// With an error. So do events that had a stale image and could get no newer one.
    case failed(any Error)
    /// Its task was cancelled, or all who iterated over its events have left.
    case cancelled

    init(_ response: ImageResponse) {
      self = .succeeded(
        Success(source: response.source, byteCount: response.byteCount, isStale: response.isStale))
    }

    init(_ response: DataResponse) {
      self = .succeeded(Success(source: response.source, byteCount: response.data.count, isStale: false))
    }

    init(_ error: any Error) {
      self = error.isCancellation ? .cancelled : .failed(error)
    }
  }
}

extension Error {
  /// Whether it says no more than that nobody wants the result.
  var isCancellation: Bool {
    self is CancellationError || self as? ImagingError == .cancelled || self as? CachingError == .cancelled
  }
}
