extension ImageRequest {
  /// How urgent a request is. Work that several want has the priority of the most urgent, as long as that one waits.
  public enum Priority: UInt8, Hashable, Sendable, Comparable, CaseIterable {
    /// For what may never be needed.
    case veryLow = 9
    /// For what is needed later, such as what is prefetched.
    case low = 17
    /// For everything else.
    case normal = 21
    /// For what somebody is waiting for.
    case high = 25
    /// Before all others.
    case veryHigh = 33

    /// Whether `left` is less urgent.
    public static func < (left: ImageRequest.Priority, right: ImageRequest.Priority) -> Bool {
      left.rawValue < right.rawValue
    }

    /// The priority of a task that does such work.
    public var taskPriority: TaskPriority { TaskPriority(rawValue: rawValue) }
  }
}
