import Calotype
public import CalotypeImaging

/// The way that one picture becomes another: a fade, or a function of the program.
///
/// ```swift
/// let wipe = TransitionEffect(name: "com.example.wipe/1") { old, new, progress in
///   try wiped(old, new, column: Int(progress * Double(new.width)))
/// }
/// options.transitionEffect = wipe
/// ```
///
/// Effects with the same name are equal.
public struct TransitionEffect: Hashable, Sendable {
  /// A name that no other effect has.
  public let name: String
  private let prepare: @Sendable (Bitmap?, Bitmap) throws -> @Sendable (Double) throws -> Bitmap

  /// Creates an effect.
  ///
  /// - Parameters:
  ///   - name: A name that no other effect has.
  ///   - body: Returns the picture between two pictures: the old one, `nil` for nothing, and the new one, at a
  ///     progress from 0 to below 1. The pictures may differ in size and format.
  public init(
    name: String,
    _ body: @escaping @Sendable (_ old: Bitmap?, _ new: Bitmap, _ progress: Double) throws -> Bitmap
  ) {
    self.init(name) { old, new in
      return { progress in try body(old, new, progress) }
    }
  }

  private init(
    _ name: String,
    prepare: @escaping @Sendable (Bitmap?, Bitmap) throws -> @Sendable (Double) throws -> Bitmap
  ) {
    self.name = name
    self.prepare = prepare
  }

  /// A cross-fade, `CrossFade`.
  public static let fade = TransitionEffect("fade") { old, new in
    let fade = try CrossFade(from: old, to: new)
    return { try fade.bitmap(at: $0) }
  }

  /// Returns the pictures of a transition.
  ///
  /// - Parameters:
  ///   - old: The picture before; `nil` for none.
  ///   - new: The picture after.
  /// - Throws: as ``TransitionFrames/bitmap(at:)``.
  /// - Complexity: O(pixels) for a fade. Blocks for as long; call it off the cooperative pool.
  public func frames(from old: Bitmap?, to new: Bitmap) throws(ImagingError) -> TransitionFrames {
    let name = name
    let body = try ImagingError.typed(name) { try prepare(old, new) }
    return TransitionFrames(end: new) { (progress) throws(ImagingError) in
      try ImagingError.typed(name) { try body(progress) }
    }
  }

  /// Whether both have the same name.
  public static func == (lhs: TransitionEffect, rhs: TransitionEffect) -> Bool { lhs.name == rhs.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
