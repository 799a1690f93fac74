/// The outcome of holding our code against a fact.
public struct ConformanceVerdict: Hashable, Sendable {
  /// The kind of outcome.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Our answer is that of the fact, or the better one that the fact names.
    case agree = "agree"
    /// Our answer is another one.
    case differs = "differs"
    /// Nothing was evaluated.
    case refused = "refused"
  }

  /// The kind.
  public let kind: Kind
  /// Our answer, or the reason for none.
  public let found: String

  /// An answer that is equal to the expected one, or not.
  static func answer(_ found: String, expected: String) -> ConformanceVerdict {
    ConformanceVerdict(kind: found == expected ? .agree : .differs, found: found)
  }

  /// An answer whose comparison has been made.
  static func answer(_ found: String, agrees: Bool) -> ConformanceVerdict {
    ConformanceVerdict(kind: agrees ? .agree : .differs, found: found)
  }

  /// No answer, for a reason.
  static func refused(_ reason: String) -> ConformanceVerdict {
    ConformanceVerdict(kind: .refused, found: reason)
  }
}
