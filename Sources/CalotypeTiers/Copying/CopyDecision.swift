import CalotypeCaching
import FoundationEssentials

/// Decides about one record of a copy, by its header and that of the record that the target has. Pure.
struct CopyDecision: Sendable {
  /// The selected records; all if there are no selections.
  var selections: [CacheSelection] = []
  /// Whether the target is shared by machines.
  var isShared: Bool
  /// The most bytes of a record in the target.
  var recordLimit: Int

  /// Returns the reason to leave a record; `nil` to copy it.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - existing: That of the target; `nil` if it has none, or a damaged one.
  ///   - now: The time, for expiry.
  func refusal(_ record: RecordHead, existing: RecordHead?, now: Date) -> RecordCopy.Outcome? {
    let (source, tags) = (record.key.source, record.metadata.tags)
    guard selections.isEmpty || selections.contains(where: { $0.contains(source: source, tags: tags) }) else {
      return .unselected
    }
    if let expires = record.metadata.expires, expires <= now { return .expired }
    if let existing, existing.created >= record.created { return .kept }
    if isShared {
      switch ShareDecision(record.metadata, bytes: record.byteCount, limit: recordLimit) {
      // The program has asked for a copy of it.
      case .share, .cheap: return nil
      case .refuse: return .unshared
      case .tooLarge: return .tooLarge
      }
    }
    return record.byteCount > recordLimit ? .tooLarge : nil
  }
}
