extension ImageResponse {
  /// What became of an image in the caches.
  public struct StoreOutcomes: Hashable, Sendable {
    /// What became of one of its forms.
    public enum Outcome: Hashable, Sendable {
      /// Nothing was to be stored: the request, the response or the configuration say so, or it is there already.
      case notStored
      /// It is stored.
      case stored
      /// It could not be stored; the code of the error, or `shed` when too much waited to be stored.
      case failed(code: String)

      /// What came of a store that was to be made, `nil` if too much waited; none if it was not to be made after all.
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

    /// Nothing stored.
    public init() {}

    /// The code of what was not stored because too much waited.
    static let shed = "shed"
  }
}
