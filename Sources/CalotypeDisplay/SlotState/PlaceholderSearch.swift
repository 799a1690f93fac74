import Calotype

/// A search for a better placeholder in the caches on disk, while another one or nothing is shown.
final class PlaceholderSearch: Sendable {
  /// The requests to try, the best first.
  let requests: [ImageRequest]
  let tasks = TaskBag()

  init(_ requests: [ImageRequest]) {
    self.requests = requests
  }
}
