import CalotypeLoading
import FoundationEssentials

/// The unit of fairness in a queue: a tenant, and for loads the origin of the bytes.
struct QueueFlow: Hashable, Sendable {
  /// The value of ``ImageRequest/partition``.
  var partition: String?
  /// Scheme, host and port; `nil` for local bytes.
  var origin: String?

  /// Creates the flow of work on local bytes.
  init(partition: String? = nil) {
    self.partition = partition
  }

  /// Creates the flow of the loads of a request.
  init(loading request: ImageRequest) {
    partition = request.partition
    guard let url = request.source.url, let host = url.host() else { return }
    origin = "\(url.scheme?.lowercased() ?? "")://\(host.lowercased()):\(url.port ?? 0)"
  }
}
