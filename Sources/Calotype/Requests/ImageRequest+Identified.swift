extension ImageRequest {
  /// A part that belongs to a request, with a name that distinguishes it from others of its kind.
  ///
  /// Parts cannot be compared, names can: requests whose parts have different names share nothing that the
  /// parts influence. Use one name for one part.
  public struct Identified<Part: Sendable>: Sendable {
    /// The name of the part.
    public let name: String
    /// The part.
    public let part: Part

    /// Creates a named part.
    public init(_ name: String, _ part: Part) {
      self.name = name
      self.part = part
    }
  }
}

extension ImageRequest.Identified: Hashable {
  /// Returns whether both have the same name.
  public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
