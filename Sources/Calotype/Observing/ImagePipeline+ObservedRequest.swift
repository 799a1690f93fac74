extension ImagePipeline {
  /// A request on its way, as a ``PipelineObserving`` sees it.
  public struct ObservedRequest: Sendable {
    /// What was called.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// ``ImagePipeline/image(for:)-(ImageRequest)``
      case image
      /// ``ImagePipeline/response(for:)``
      case response
      /// ``ImagePipeline/data(for:progress:)``
      case data
      /// ``ImagePipeline/load(_:)-(ImageRequest)``; one request, however many iterate over it.
      case events
    }

    /// Unique in its pipeline.
    public let id: Int
    /// What was called.
    public let kind: Kind
    /// The request, as interceptors have left it. It has credentials and header fields: they are for nobody's eyes.
    public let request: ImageRequest

    init(id: Int, kind: Kind, request: ImageRequest) {
      self.id = id
      self.kind = kind
      self.request = request
    }
  }
}
