import Synchronization

/// How downloads ended, and what was wrong with that.
final class FaultRecord: Sendable {
  private struct State {
    var endings: [Int]
    var objections: [String] = []
  }

  let plans: [FaultPlan]
  private let state: Mutex<State>

  init(_ plans: [FaultPlan]) {
    self.plans = plans
    state = Mutex(State(endings: Array(repeating: 0, count: plans.count)))
  }

  /// A download has ended.
  func ended(_ plan: FaultPlan, _ objection: String?) {
    state.withLock { $0.endings[plan.number] += 1 }
    guard let objection else { return }
    let name = "download \(plan.number), \(plan.kind), \(plan.byteCount) bytes, \(plan.sent ?? -1) sent"
    object("\(name): \(objection)")
  }

  /// Something is wrong.
  func object(_ text: String) {
    state.withLock { $0.objections.append(text) }
  }

  /// All that is wrong, once all downloads should be over.
  var objections: [String] {
    state.withLock { state in
      let others = state.endings.enumerated().filter { $0.element != 1 }
      return state.objections + others.map { "download \($0.offset) ended \($0.element) times" }
    }
  }

  /// How many there are of each kind.
  var summary: String {
    let counts = FaultPlan.Kind.allCases.map { kind in "\(plans.count { $0.kind == kind }) \(kind)" }
    return counts.joined(separator: ", ")
  }
}
