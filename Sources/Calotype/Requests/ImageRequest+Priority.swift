extension ImageRequest {
  /// The urgency of a request. Shared work has the priority of the most urgent caller, as long as that
  /// caller waits.
  public enum Priority: UInt8, Hashable, Sendable, Comparable, CaseIterable {
    /// For images that may never be needed.
    case veryLow = 9
    /// For images that are needed later, such as prefetched ones.
    case low = 17
    /// For all other images.
    case normal = 21
    /// For images that a user is waiting for.
    case high = 25
    /// Before all others.
    case veryHigh = 33

    /// Whether `left` is less urgent.
    public static func < (left: ImageRequest.Priority, right: ImageRequest.Priority) -> Bool {
      left.rawValue < right.rawValue
    }

    /// The corresponding task priority.
    public var taskPriority: TaskPriority { TaskPriority(rawValue: rawValue) }
  }
}
