/// What shall become of a result beside being delivered: all that anybody wants.
struct JobRequirements: Sendable {
  /// Where to keep it.
  var tiers: ImageRequest.CacheTiers = []
  /// What to keep it under.
  var tags: Set<String> = []
  /// Whether to bring a transfer to its end when nobody waits any more.
  var continuesInBackground = false
  /// Previews to make meanwhile.
  var previews: Set<ImageRequest.PreviewPolicy> = []
  /// Whether anybody looks how far a transfer is.
  var watchesProgress = false
  /// Whether a picture of the same size is made of it next.
  var isTransformed = false

  init() {}

  init(_ request: ImageRequest) {
    if request.cachePolicy.writesCaches { tiers = request.storeTiers }
    // Of a picture as it is served the original is the result.
    if request.isPlain, tiers.contains(.disk) { tiers.insert(.originals) }
    if !request.tags.isEmpty { tags = Set(request.tags) }
    continuesInBackground = request.continuesInBackground && request.cachePolicy.writesCaches
    if request.previews != .off { previews = [request.previews] }
  }

  /// Whether something is to be done whenever bytes arrive.
  var followsArrival: Bool { watchesProgress || !previews.isEmpty }

  /// What stays of it when those who want it have left.
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
  /// These and those that are not among them. O(both).
  func merging(_ others: [String]) -> [String] {
    if others.isEmpty { return self }
    let known = Set(self)
    return self + others.filter { !known.contains($0) }
  }
}
