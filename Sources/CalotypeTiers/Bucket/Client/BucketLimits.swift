import CalotypeLoading

/// The deadlines of requests to a bucket.
struct BucketLimits: Hashable, Sendable {
  /// From the call to the end of a response's header, for requests without content.
  var head = Duration.milliseconds(300)
  /// The time limit of a body without bytes, after its header.
  var bodyBase = Duration.milliseconds(300)
  /// The bytes of a body, or of a content, that extend its limit by a second.
  var bytesPerSecond = 1 << 20
  /// The limit of a request with a content without bytes.
  var write = Duration.seconds(10)

  /// The deadlines of a request with `count` bytes of content; `nil` for one that waits for a reader.
  func timeouts(writing count: Int?) -> (LoadRequest.Timeouts, head: Duration) {
    let headLimit = count.map { write + .seconds($0 / max(1, bytesPerSecond)) } ?? head
    let timeouts = LoadRequest.Timeouts(
      connect: min(headLimit, .seconds(3)), idle: max(headLimit, bodyBase), minimumSpeed: nil,
      body: LoadRequest.Timeouts.BodyTime(base: bodyBase, bytesPerSecond: bytesPerSecond))
    return (timeouts, headLimit)
  }
}
