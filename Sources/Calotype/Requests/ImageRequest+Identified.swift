extension ImageRequest {
  /// A part that a request has of its own, and the name that tells it from others of its kind.
  ///
  /// Parts cannot be compared, names can: requests whose parts have different names share nothing that the parts have an
  /// influence on. Use one name for one part.
  public struct Identified<Part: Sendable>: Sendable {
    /// What tells it from others.
    public let name: String
    /// What it is.
    public let part: Part

    /// Names a part.
    public init(_ name: String, _ part: Part) {
      self.name = name
      self.part = part
    }
  }
}

extension ImageRequest.Identified: Hashable {
  /// Whether both have the same name.
  public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
