import CalotypeSupport
import FoundationEssentials

/// Serves `data:` URLs (RFC 2397), base64 or percent-encoded.
///
/// Long ones are decoded on threads of the library, as part of the calling task.
public struct DataURLLoader: ImageLoading {
  /// The longest URL, in bytes of UTF-8, that is decoded on the calling thread: tens of microseconds.
  static let inlineLimit = 64 << 10

  private let executor: WorkerExecutor

  /// Creates a loader.
  public init() {
    self.init(executor: ByteWork.executor)
  }

  init(executor: WorkerExecutor) {
    self.executor = executor
  }

  /// Accepts `data:` URLs.
  public func accepts(_ source: ImageSource) -> Bool {
    source.scheme == "data"
  }

  /// Returns the decoded bytes as a response; its ``LoadResponse/contentType`` is the media type of the URL.
  ///
  /// - Throws: ``LoadingError/invalidDataURL(_:reason:)``, ``LoadingError/tooLarge(_:limit:declared:)``
  ///   before anything is decoded, ``LoadingError/unsupportedScheme(_:)``; `CancellationError`, also while it
  ///   decodes.
  @concurrent
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard accepts(request.source), let url = request.source.url else {
      throw LoadingError.unsupportedScheme(request.source)
    }
    try Task.checkCancellation()
    let text = url.absoluteString
    let byteLimit = request.byteLimit
    let content: DataURL
    do {
      if text.utf8.count <= Self.inlineLimit {
        content = try DataURL(text, byteLimit: byteLimit)
      } else {
        content = try await executor.run { try DataURL(text, byteLimit: byteLimit) }
      }
    } catch let failure as DataURL.Failure {
      switch failure {
      case .malformed(let reason): throw LoadingError.invalidDataURL(url, reason: reason)
      case .tooLarge(let declared):
        throw LoadingError.tooLarge(request.source, limit: byteLimit, declared: declared)
      case .cancelled: throw CancellationError()
      }
    }
    return LoadResponse(
      url: url, expectedLength: content.data.count, contentType: content.mediaType,
      body: LoadBody([content.data]))
  }
}
