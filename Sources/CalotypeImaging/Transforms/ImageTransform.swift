/// A step that computes a picture from a picture, as a value that is compared, hashed and cached by its identity.
///
/// ```swift
/// let request = ImageRequest(url: url, transforms: [.crop(.relative(x: 0, y: 0, width: 1, height: 0.5)), .blur(sigma: 4)])
/// ```
public struct ImageTransform: Sendable {
  /// The implementation of the step.
  public let step: any ImageTransforming
  /// The identity of ``step``.
  public let identity: String

  /// Wraps a step.
  public init(_ step: some ImageTransforming) {
    self.step = step
    identity = step.identity
  }
}

extension ImageTransform: Hashable, CustomStringConvertible {
  /// Returns true if both have the same identity.
  public static func == (a: ImageTransform, b: ImageTransform) -> Bool { a.identity == b.identity }
  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
  /// The identity.
  public var description: String { identity }
}
