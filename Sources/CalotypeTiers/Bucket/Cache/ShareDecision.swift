import CalotypeCaching
import FoundationEssentials
import HTTPTypes

/// Decides whether a record may be shared between machines. Pure.
enum ShareDecision: Hashable, Sendable {
  case share
  /// It is for one user, must not be stored, or is a part.
  case refuse(FreshnessPolicy.StoreDecision.Reason)
  /// It is larger than shared records may be.
  case tooLarge
  /// Making it again costs less than sharing it.
  case cheap

  private static let policy = FreshnessPolicy(mode: .shared)

  /// - Parameters:
  ///   - metadata: Its response decides; a record without one is the work of this program, and shared.
  ///   - bytes: The length of the record, header included.
  ///   - limit: The longest record to share.
  ///   - minimumCost: The least time that making it took.
  init(_ metadata: RecordMetadata, bytes: Int, limit: Int, minimumCost: Duration = .zero) {
    if bytes > limit {
      self = .tooLarge
      return
    }
    if let cost = metadata.cost, cost < minimumCost {
      self = .cheap
      return
    }
    guard let response = metadata.response else {
      self = .share
      return
    }
    let decision = Self.policy.storeDecision(
      request: HTTPFields(), status: response.status, response: response.fields,
      requestTime: response.requestTime,
      responseTime: response.responseTime)
    switch decision {
    case .refuse(let reason) where Self.forbids(reason): self = .refuse(reason)
    // Other reasons depend on the policy of the pipeline, which has stored the record.
    case .refuse, .store: self = Self.revealsPrivateFields(response) ? .refuse(.isPrivate) : .share
    }
  }

  private static func forbids(_ reason: FreshnessPolicy.StoreDecision.Reason) -> Bool {
    switch reason {
    case .partial, .responseForbids, .isPrivate, .variesByEverything, .authorization: true
    case .method, .status, .requestForbids, .neverReusable, .headerTooLarge, .otherVersion: false
    }
  }

  /// Whether fields that are private to one user were kept, by a pipeline for one user.
  private static func revealsPrivateFields(_ response: StoredResponse) -> Bool {
    guard case .fields(let names) = response.cacheControl.isPrivate else { return false }
    return response.fields.contains { names.contains($0.name.canonicalName) }
  }
}
