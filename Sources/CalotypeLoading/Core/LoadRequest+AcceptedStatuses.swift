extension LoadRequest {
  /// The HTTP statuses that count as an answer rather than an error.
  ///
  /// ```swift
  /// request.statuses = .success.union(404...404)   // that server's placeholder
  /// ```
  public struct AcceptedStatuses: Hashable, Sendable {
    /// In ascending order, with gaps in between, so that equal sets are equal.
    private let ranges: [ClosedRange<Int>]

    /// Accepts the statuses in these ranges.
    public init(_ ranges: ClosedRange<Int>...) {
      self.init(ranges: ranges)
    }

    private init(ranges: [ClosedRange<Int>]) {
      var merged: [ClosedRange<Int>] = []
      for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = merged.last,
          range.lowerBound <= last.upperBound || range.lowerBound - 1 == last.upperBound
        {
          merged[merged.count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
        } else {
          merged.append(range)
        }
      }
      self.ranges = merged
    }

    /// The ranges, for keys.
    package var identity: String {
      ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " ")
    }

    /// 200 to 299. A 304 to a conditional request is always accepted, too.
    public static let success = LoadRequest.AcceptedStatuses(200...299)
    /// All statuses.
    public static let any = LoadRequest.AcceptedStatuses(0...999)

    /// Returns these statuses and those of another range.
    public func union(_ range: ClosedRange<Int>) -> LoadRequest.AcceptedStatuses {
      LoadRequest.AcceptedStatuses(ranges: ranges + [range])
    }

    /// Returns whether `status` is accepted.
    public func contains(_ status: Int) -> Bool {
      ranges.contains { $0.contains(status) }
    }
  }
}
