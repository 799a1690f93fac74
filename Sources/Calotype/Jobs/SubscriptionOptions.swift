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
