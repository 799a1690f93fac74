/// The treatment of a job that needs more decoded bytes than the budget has.
public enum OversizePolicy: Hashable, Sendable {
  /// The job is refused.
  case refuse
  /// The job runs while no other does, if it needs no more than this number of bytes.
  case runAlone(upTo: Int)

  /// The largest number of bytes that a job may need.
  func limit(budget: Int) -> Int {
    switch self {
    case .refuse: budget
    case .runAlone(let limit): max(limit, budget)
    }
  }
}
