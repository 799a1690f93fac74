import Calotype
import FoundationEssentials
import HTTPTypes
import Synchronization

/// The fields of the last response to a text of a request, which those of the next are.
final class ReplyMemo: Sendable {
  /// The fields that depend on neither the client nor the time.
  struct Fields: Sendable {
    let fields: HTTPFields
    let entityTag: EntityTag?
  }

  private struct State: Sendable {
    /// Without its bytes.
    let result: StoredResult
    let fields: Fields
  }

  private let state = Mutex<State?>(nil)

  /// Returns the fields of responses with a result, made once.
  func fields(of result: StoredResult, make: (StoredResult) -> HTTPFields) -> Fields {
    if let known = state.withLock({ $0 }), known.result.hasFields(of: result) { return known.fields }
    let fields = make(result)
    let made = Fields(fields: fields, entityTag: fields[.eTag].flatMap { EntityTag($0) })
    var kept = result
    kept.data = Data()
    state.withLock { [kept] in $0 = State(result: kept, fields: made) }
    return made
  }
}
