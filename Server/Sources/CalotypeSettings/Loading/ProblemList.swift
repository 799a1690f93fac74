/// Collects problems, of which there may be too many to list.
struct ProblemList: Sendable {
  /// Most problems that are listed.
  static let limit = 256

  private(set) var problems: [SettingsProblem] = []
  private var omitted = 0
  private var hasOmittedError = false

  mutating func append(_ problem: SettingsProblem) {
    guard problems.count < Self.limit else {
      omitted += 1
      hasOmittedError = hasOmittedError || problem.severity == .error || problem.isStrict
      return
    }
    problems.append(problem)
  }

  mutating func append(contentsOf others: some Sequence<SettingsProblem>) {
    for problem in others { append(problem) }
  }

  /// The list, with errors in the place of warnings if names are strict.
  func finished(isStrict: Bool) -> [SettingsProblem] {
    var list = problems
    if isStrict {
      for index in list.indices where list[index].isStrict { list[index].severity = .error }
    }
    if omitted > 0 {
      list.append(
        SettingsProblem(
          .tooMany, hasOmittedError ? .error : .warning, "\(omitted) more problems are not listed"))
    }
    return list
  }
}
