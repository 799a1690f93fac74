import CalotypeLoading

/// The record of a ``FakeLoader``.
struct LoaderEntries: Sendable {
  var requests: [LoadRequest] = []
  var running = 0
  var peakRunning = 0
  var cancellations = 0
  /// Bytes that consumers took.
  var delivered: [ImageSource: Int] = [:]

  mutating func begin(_ request: LoadRequest) {
    requests.append(request)
    running += 1
    peakRunning = max(peakRunning, running)
  }

  mutating func end(isCancelled: Bool) {
    running -= 1
    if isCancelled { cancellations += 1 }
  }
}
