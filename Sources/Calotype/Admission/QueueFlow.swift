import CalotypeLoading
import FoundationEssentials

/// Who shares a queue fairly with others: a tenant, and for loads the origin of the bytes.
struct QueueFlow: Hashable, Sendable {
  /// ``ImageRequest/partition``.
  var partition: String?
  /// Scheme, host and port; `nil` for bytes that are here.
  var origin: String?

  /// The flow of work on bytes that are here.
  init(partition: String? = nil) {
    self.partition = partition
  }

  /// The flow of the loads of a request.
  init(loading request: ImageRequest) {
    partition = request.partition
    guard let url = request.source.url, let host = url.host() else { return }
    origin = "\(url.scheme?.lowercased() ?? "")://\(host.lowercased()):\(url.port ?? 0)"
  }
}
