/// The combined requirements of subscribers for a result, besides its delivery.
struct JobRequirements: Sendable {
  /// The caches to store the result in.
  var tiers: ImageRequest.CacheTiers = []
  /// The tags of the cache entry.
  var tags: Set<String> = []
  /// Whether to complete a transfer after all callers have left.
  var continuesInBackground = false
  /// The previews to make during the transfer.
  var previews: Set<ImageRequest.PreviewPolicy> = []
  /// Whether a caller observes the progress of the transfer.
  var watchesProgress = false
  /// Whether an image of the same size is made from the result next.
  var isTransformed = false

  init() {}

  init(_ request: ImageRequest) {
    if request.cachePolicy.writesCaches { tiers = request.storeTiers }
    // For an image without processing, the original is the result.
    if request.isPlain, tiers.contains(.disk) { tiers.insert(.originals) }
    if !request.tags.isEmpty { tags = Set(request.tags) }
    continuesInBackground = request.continuesInBackground && request.cachePolicy.writesCaches
    if request.previews != .off { previews = [request.previews] }
  }

  /// Whether arriving bytes require work.
  var followsArrival: Bool { watchesProgress || !previews.isEmpty }

  /// The requirements that remain after the subscribers have left.
  var lasting: JobRequirements {
    var demand = self
    if !demand.previews.isEmpty { demand.previews = [] }
    demand.watchesProgress = false
    return demand
  }

  mutating func add(_ other: JobRequirements) {
    tiers.formUnion(other.tiers)
    if !other.tags.isEmpty { tags.formUnion(other.tags) }
    continuesInBackground = continuesInBackground || other.continuesInBackground
    if !other.previews.isEmpty { previews.formUnion(other.previews) }
    watchesProgress = watchesProgress || other.watchesProgress
    isTransformed = isTransformed || other.isTransformed
  }
}

extension [String] {
  /// Returns the elements of both lists without duplicates. O(both).
  func merging(_ others: [String]) -> [String] {
    if others.isEmpty { return self }
    let known = Set(self)
    return self + others.filter { !known.contains($0) }
  }
}
