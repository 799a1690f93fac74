extension ImagePipeline {
  /// A request in progress, as reported to a ``PipelineObserving``.
  public struct ObservedRequest: Sendable {
    /// The kind of call.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// ``ImagePipeline/image(for:)-(ImageRequest)``
      case image
      /// ``ImagePipeline/response(for:)-(ImageRequest)``
      case response
      /// ``ImagePipeline/encoded(_:as:)-(ImageRequest,EncodeOptions)``
      case encoded
      /// ``ImagePipeline/info(for:)-(ImageRequest)``
      case info
      /// ``ImagePipeline/data(for:progress:)``
      case data
      /// ``ImagePipeline/load(_:)-(ImageRequest)``; one request, regardless of the number of iterators.
      case events
    }

    /// A number that is unique in the pipeline.
    public let id: Int
    /// The kind of call.
    public let kind: Kind
    /// The request after all interceptors. It contains credentials and header fields: do not disclose them.
    public let request: ImageRequest

    init(id: Int, kind: Kind, request: ImageRequest) {
      self.id = id
      self.kind = kind
      self.request = request
    }
  }
}
