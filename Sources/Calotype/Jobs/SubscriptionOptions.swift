import CalotypeSupport

/// What a subscriber wants of a job, for as long as it is subscribed. A job that waits for another wants of it what is
/// wanted of itself.
struct SubscriptionOptions: Sendable {
  /// How urgently, at first.
  let level: TaskPriority
  /// How urgently, if that may change.
  let priority: LivePriority?
  /// Tells the jobs of one request from those of others, if they are not to be shared.
  var number = 0
  /// The place among all callers.
  var caller: CallerPlace?
  /// When the subscriber has to have it, in the time of the pipeline; `nil` if it has time.
  var deadline: Duration?
  /// What shall become of the result, if it is a caller that wants it.
  let own: JobRequirements
  /// The same, if it is a job: asked when it matters.
  let inherited: (@Sendable () -> JobRequirements)?
  /// The job that wants it: it is told what arrives.
  let listener: (any TransferListening)?

  /// Whether a job wants it, rather than a caller.
  var isOfJob: Bool { inherited != nil }
  /// What shall become of the result, as of now.
  var demand: JobRequirements { inherited?() ?? own }

  /// What one request wants.
  init(_ demand: JobRequirements, priority: ImageRequest.Priority) {
    self.init(demand, level: priority.taskPriority)
  }

  /// What one request wants, whose priority may change.
  init(_ demand: JobRequirements, priority: LivePriority) {
    self.init(demand, level: priority.value, priority: priority)
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
