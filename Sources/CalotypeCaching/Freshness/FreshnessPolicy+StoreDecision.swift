extension FreshnessPolicy {
  /// The decision of a ``FreshnessPolicy`` whether to store a response.
  public enum StoreDecision: Hashable, Sendable {
    /// Store it, with this description beside the bytes.
    case store(StoredResponse)
    /// Do not store it.
    case refuse(Reason)

    /// Why a response is not stored.
    public enum Reason: String, Hashable, Sendable {
      /// Only responses to `GET` are stored.
      case method
      /// The bytes are only a part of the image.
      case partial
      /// Responses with this status are not stored.
      case status
      /// The request says `no-store`.
      case requestForbids
      /// The response says `no-store`.
      case responseForbids
      /// The response is private, and the cache is shared.
      case isPrivate
      /// The request had credentials, and the response does not allow sharing.
      case authorization
      /// The response varies by more than the request (`Vary: *`) and would never be found again.
      case variesByEverything
      /// The response is stale at once, cannot be revalidated and may not be used stale.
      case neverReusable
      /// The required header fields exceed the limit of a record.
      case headerTooLarge
      /// The 304 is for another version than the stored one: load the image anew.
      case otherVersion
    }

    /// The description to store, if the response is stored.
    public var stored: StoredResponse? {
      if case .store(let stored) = self { stored } else { nil }
    }
  }
}
