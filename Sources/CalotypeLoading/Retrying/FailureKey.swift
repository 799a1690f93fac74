import FoundationEssentials
import HTTPTypes

/// What a ``FailureMemory`` knows a source by: all that decides what a server answers.
struct FailureKey: Hashable {
  /// Largest URL and header fields that are remembered, in bytes: others choose them.
  static let maxSize = 16 << 10

  let source: ImageSource
  private let headers: HTTPFields
  private let credential: LoadRequest.Credential?
  /// What is an error to one is an answer to another.
  private let statuses: AcceptedStatuses
  private let partition: String?
  /// One that may go to places where another may not learns from what it is told there.
  private let loaderIdentity: String

  /// - Parameter loader: The loader that failed, if the request does not say.
  init(_ request: LoadRequest, of loader: (any ImageLoading)? = nil) {
    switch request.source {
    case .url: source = request.source
    case .stream(_, let id): source = .stream(ByteStream.empty, id: id)
    // Only the name is compared, and the bytes are not to be kept alive.
    case .data(_, let id): source = .data(Data(), id: id)
    }
    headers = request.headers
    credential = request.credential
    statuses = request.statuses
    partition = request.partition
    loaderIdentity = loader?.identity ?? request.loaderIdentity
  }

  /// In bytes, about.
  var size: Int {
    let fields = headers.reduce(partition?.utf8.count ?? 0) {
      $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
    }
    switch source {
    case .url(let url): return fields + url.absoluteString.utf8.count
    case .data(_, let id), .stream(_, let id): return fields + id.utf8.count
    }
  }
}
