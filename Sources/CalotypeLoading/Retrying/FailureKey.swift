import FoundationEssentials
import HTTPTypes

/// The key of a source in a ``FailureMemory``: everything that affects the server's answer.
struct FailureKey: Hashable {
  /// The largest URL and header fields to remember, in bytes, because foreign ones may have any length.
  static let maxSize = 16 << 10

  let source: ImageSource
  private let headers: HTTPFields
  private let accept: String?
  private let credential: LoadRequest.Credential?
  /// A status may be an error for one request and accepted by another.
  private let statuses: LoadRequest.AcceptedStatuses
  private let partition: String?
  /// Loaders with different restrictions get different answers.
  private let loaderIdentity: String

  /// - Parameter loader: The identity of the failed loader, if the request has none.
  init(_ request: LoadRequest, of loader: (any ImageLoading)? = nil) {
    switch request.source {
    case .url: source = request.source
    case .stream(_, let id): source = .stream(ByteStream.empty, id: id)
    // Only the `id` is compared, and the bytes must not be kept alive.
    case .data(_, let id): source = .data(Data(), id: id)
    case .provider(let provider): source = .provider(provider.withoutFetch)
    }
    headers = request.headers
    accept = request.accept
    credential = request.credential
    statuses = request.statuses
    partition = request.partition
    loaderIdentity = loader?.identity ?? request.loaderIdentity
  }

  /// The approximate size in bytes.
  var size: Int {
    let fields = headers.reduce((partition?.utf8.count ?? 0) + (accept?.utf8.count ?? 0)) {
      $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
    }
    switch source {
    case .url(let url): return fields + url.absoluteString.utf8.count
    case .data(_, let id), .stream(_, let id): return fields + id.utf8.count
    case .provider(let provider): return fields + provider.id.utf8.count + (provider.version?.utf8.count ?? 0)
    }
  }
}
