import CalotypeSupport
extension SubscriptionOptions {
  /// Creates the options with which `job` subscribes to another job that it waits for.
  init<Value>(of job: Job<Value>, changing: @escaping @Sendable (inout JobRequirements) -> Void = { _ in }) {
    self.init(
      JobRequirements(), level: job.priority.value, priority: job.priority,
      inherited: {
        var requirements = job.demand
        changing(&requirements)
        return requirements
      }, listener: job)
    number = job.number
  }
}
