/// What a ``FreshnessPolicy`` makes of a response that has come.
public enum StoreDecision: Hashable, Sendable {
  /// Keep it, with this beside the bytes.
  case store(StoredResponse)
  /// Do not keep it.
  case refuse(Reason)

  /// Why a response is not stored.
  public enum Reason: String, Hashable, Sendable {
    /// Only answers to `GET` are.
    case method
    /// The bytes are a part of the image.
    case partial
    /// The status is not one that is stored.
    case status
    /// The request says `no-store`.
    case requestForbids
    /// The response says `no-store`.
    case responseForbids
    /// It is for one user, and the cache is shared.
    case isPrivate
    /// The request had credentials, and the response does not say that others may see it.
    case authorization
    /// It depends on more than the request: it would never be found again.
    case variesByEverything
    /// It is stale at once, cannot be revalidated and may not be used stale.
    case neverReusable
    /// What has to be kept of its header is more than a record can carry.
    case headerTooLarge
    /// A 304 for another version than the one that is stored: load the image anew.
    case otherVersion
  }

  /// What to keep, if it is to be kept.
  public var stored: StoredResponse? {
    if case .store(let stored) = self { stored } else { nil }
  }
}
