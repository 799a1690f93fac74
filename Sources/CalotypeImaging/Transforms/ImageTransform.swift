/// A step that makes a picture of a picture, as a value: compared, hashed and cached by everything it does.
///
/// ```swift
/// let request = ImageRequest(url: url, transforms: [.crop(.relative(x: 0, y: 0, width: 1, height: 0.5)), .blur(sigma: 4)])
/// ```
public struct ImageTransform: Sendable {
  /// What it does.
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
  /// Whether both have the same identity.
  public static func == (a: ImageTransform, b: ImageTransform) -> Bool { a.identity == b.identity }
  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
  /// The identity.
  public var description: String { identity }
}
