/// Something in a URL that is read, but hardly as it was meant.
public struct ImageURLNotice: Hashable, Sendable {
  /// The kind of the notice.
  public enum Kind: String, Hashable, Sendable {
    /// A Boolean value that is none of `1 t T TRUE true True 0 f F FALSE false False`; it is read as false.
    case notBoolean
    /// A preset that names itself; it is skipped.
    case recursivePreset
  }

  /// The kind of the notice.
  public let kind: Kind
  /// Where it is.
  public let place: ImageURLError.Place

  init(_ kind: Kind, at place: ImageURLError.Place) {
    self.kind = kind
    self.place = place
  }
}
