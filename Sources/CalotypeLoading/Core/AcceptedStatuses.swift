/// Which HTTP statuses are an answer and not an error.
///
/// ```swift
/// request.statuses = .success.union(404...404)   // that server's placeholder
/// ```
public struct AcceptedStatuses: Hashable, Sendable {
  private let ranges: [ClosedRange<Int>]

  /// Those of these ranges.
  public init(_ ranges: ClosedRange<Int>...) {
    self.ranges = ranges
  }

  private init(ranges: [ClosedRange<Int>]) {
    self.ranges = ranges
  }

  /// 200 to 299. Besides them, 304 is an answer to whoever sent validators, whatever the gate says.
  public static let success = AcceptedStatuses(200...299)
  /// All of them.
  public static let any = AcceptedStatuses(0...999)

  /// These and those of another range.
  public func union(_ range: ClosedRange<Int>) -> AcceptedStatuses {
    AcceptedStatuses(ranges: ranges + [range])
  }

  /// Whether `status` is let through.
  public func contains(_ status: Int) -> Bool {
    ranges.contains { $0.contains(status) }
  }
}
