/// The verdicts on a set of facts.
public struct ConformanceReport: Sendable {
  /// The facts with their verdicts, in order.
  public let rows: [(vector: ConformanceVector, verdict: ConformanceVerdict)]

  /// Evaluates facts.
  public init(_ vectors: [ConformanceVector], evaluator: ConformanceEvaluator = ConformanceEvaluator()) async
  {
    var rows: [(vector: ConformanceVector, verdict: ConformanceVerdict)] = []
    for vector in vectors { rows.append((vector, await evaluator.evaluate(vector))) }
    self.rows = rows
  }

  /// Returns the number of verdicts of a kind, in a group or in all.
  public func count(_ kind: ConformanceVerdict.Kind, in group: String? = nil) -> Int {
    rows.count { $0.verdict.kind == kind && (group == nil || $0.vector.group == group) }
  }

  /// The names of the groups, in the order of their first facts.
  public var groups: [String] {
    var seen: Set<String> = []
    return rows.map(\.vector.group).filter { seen.insert($0).inserted }
  }

  /// The facts from which we differ without a reason that is listed.
  public var unexplained: [ConformanceVector] {
    rows.filter { row in
      row.verdict.kind == .differs && !DeliberateDifference.all.contains { $0.covers(row.vector) }
    }.map(\.vector)
  }

  /// One line a fact: its name, `agree`, `differs` or `refused`, and our answer.
  public var lines: [String] {
    rows.map { "\($0.vector.id)\t\($0.verdict.kind.rawValue)\t\($0.verdict.found)" }
  }

  /// The totals in one line, with the groups of which facts were refused.
  public var totals: String {
    let refused = groups.compactMap { group in
      let count = count(.refused, in: group)
      return count > 0 ? "\(group) \(count)" : nil
    }
    let counts = ConformanceVerdict.Kind.allCases.map { "\(count($0)) \($0.rawValue)" }
    return "\(rows.count) rows: " + counts.joined(separator: ", ")
      + (refused.isEmpty ? "" : " (refused: " + refused.joined(separator: ", ") + ")")
  }
}
