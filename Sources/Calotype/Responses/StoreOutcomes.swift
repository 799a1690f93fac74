/// What became of an image in the caches.
public struct StoreOutcomes: Hashable, Sendable {
  /// What became of one of its forms.
  public enum Outcome: Hashable, Sendable {
    /// Nothing was to be stored: the request, the response or the configuration say so, or it is there already.
    case notStored
    /// It is stored.
    case stored
    /// It could not be stored; the code of the error.
    case failed(code: String)
  }

  /// The decoded result in memory.
  public var memory = Outcome.notStored
  /// The encoded result on disk.
  public var disk = Outcome.notStored
  /// The original on disk.
  public var original = Outcome.notStored

  /// Nothing stored.
  public init() {}
}
