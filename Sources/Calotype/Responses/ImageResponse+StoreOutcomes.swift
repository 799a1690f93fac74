extension ImageResponse {
  /// The outcomes of storing an image in the caches.
  public struct StoreOutcomes: Hashable, Sendable {
    /// The outcome of storing one form.
    public enum Outcome: Hashable, Sendable {
      /// No store was due: the request, the response or the configuration exclude it, or the entry exists
      /// already.
      case notStored
      /// The form is stored.
      case stored
      /// The form could not be stored; the code of the error, or `shed` when too many entries waited to be
      /// stored.
      case failed(code: String)

      /// Converts the result of a store: `nil` if too many entries waited. Returns `nil` if the store was
      /// not due after all.
      init?(isStored: Bool?) {
        switch isStored {
        case true?: self = .stored
        case false?: return nil
        case nil: self = .failed(code: ImageResponse.StoreOutcomes.shed)
        }
      }
    }

    /// The decoded result in memory.
    public var memory = Outcome.notStored
    /// The encoded result on disk.
    public var disk = Outcome.notStored
    /// The original on disk.
    public var original = Outcome.notStored

    /// Creates outcomes without any store.
    public init() {}

    /// The code of an entry that was not stored because too many waited.
    static let shed = "shed"
  }
}
