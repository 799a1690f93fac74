import CalotypeSupport

/// The options of a subscription to a job. A job that waits for another passes on the requirements of its
/// own subscribers.
struct SubscriptionOptions: Sendable {
  /// The initial priority.
  let level: TaskPriority
  /// The priority, if it may change.
  let priority: LivePriority?
  /// Distinguishes the jobs of one request from those of others, if they are not to be shared.
  var number = 0
  /// The place among all callers.
  var caller: CallerPlace?
  /// The deadline of the subscriber, in the time of the pipeline; `nil` for none.
  var deadline: Duration?
  /// The start of a request that no earlier result may answer, because it wants a new load; `nil` for all others.
  var start: MonotonicTime?
  /// Whether a caller needs the value for another job of its request, which is to find the same one; until the caller lets it
  /// go.
  var keepsValue = false
  /// The requirements of a caller.
  let own: JobRequirements
  /// The requirements of a job, evaluated on demand.
  let inherited: (@Sendable () -> JobRequirements)?
  /// The subscribing job, which is notified of arriving bytes.
  let listener: (any TransferListening)?

  /// Whether a job subscribes, rather than a caller.
  var isOfJob: Bool { inherited != nil }
  /// The current requirements.
  var demand: JobRequirements { inherited?() ?? own }

  /// Creates the options of one request.
  init(_ demand: JobRequirements, priority: ImageRequest.Priority) {
    self.init(demand, level: priority.taskPriority)
  }

  /// Creates the options of one request, whose priority may change.
  init(_ demand: JobRequirements, priority: LivePriority) {
    self.init(demand, level: priority.value, priority: priority)
  }

  /// Returns changed options.
  func with(_ change: (inout SubscriptionOptions) -> Void) -> SubscriptionOptions {
    var options = self
    change(&options)
    return options
  }

  init(
    _ demand: JobRequirements, level: TaskPriority, priority: LivePriority? = nil,
    inherited: (@Sendable () -> JobRequirements)? = nil, listener: (any TransferListening)? = nil
  ) {
    self.level = level
    self.priority = priority
    own = demand
    self.inherited = inherited
    self.listener = listener
  }
}

/// The combined requirements of subscribers for a result, besides its delivery.
struct JobRequirements: Sendable {
  /// The caches to store the result in.
  var tiers: ImageRequest.CacheTiers = []
  /// The tags of the cache entry.
  var tags: Set<String> = []
  /// The values to store with the cache entry.
  var userInfo: [String: String] = [:]
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
    if !request.userInfo.isEmpty { userInfo = request.userInfo }
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
    if !other.userInfo.isEmpty { userInfo.merge(other.userInfo) { first, _ in first } }
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
