/// A sequence of transforms. The empty chain, or one whose steps cancel out, returns the picture itself; all others
/// return ``PixelFormat/rgba8``.
///
/// ```swift
/// let chain: TransformChain = [.resize(width: 320, height: 240, mode: .fill), .roundedCorners(12)]
/// let badge = try chain.apply(to: photo.bitmap)
/// ```
///
/// Steps that cancel out are dropped, consecutive crops are merged, and neighbouring colour steps share a pass over the
/// pixels. The bytes are always those of the separate steps.
public struct TransformChain: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// The steps that remain.
  public let transforms: [ImageTransform]

  /// Creates a chain and folds steps where possible.
  public init(_ transforms: [ImageTransform]) {
    var folded: [ImageTransform] = []
    for transform in transforms {
      guard let last = folded.last, let both = Self.fold(last, transform) else {
        folded.append(transform)
        continue
      }
      folded.removeLast()
      folded += both
    }
    self.transforms = folded
  }

  /// Creates a chain of these steps.
  public init(arrayLiteral elements: ImageTransform...) { self.init(elements) }

  /// A Boolean value that indicates whether the chain changes nothing.
  public var isEmpty: Bool { transforms.isEmpty }

  /// All parameters of the result besides the picture: the identities of the steps, one per line, prefixed by their
  /// lengths.
  public var identity: String {
    transforms.map { "\($0.identity.utf8.count) \($0.identity)\n" }.joined()
  }

  /// Returns the picture after all steps.
  ///
  /// - Throws: The errors of the steps: ``ImagingError/invalidParameter(name:reason:)``,
  ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
    var bitmap = isEmpty ? bitmap : try bitmap.converted(to: .rgba8)
    var index = 0
    while index < transforms.count {
      if Task.isCancelled { throw .cancelled }
      var colors: [ColorOperation] = []
      while index + colors.count < transforms.count,
        let operation = try transforms[index + colors.count].step.colorOperation
      {
        colors.append(operation)
      }
      if colors.count > 1 {
        bitmap = try ColorPass(operations: colors).apply(to: bitmap)
        index += colors.count
      } else {
        bitmap = try transforms[index].step.apply(to: bitmap).converted(to: .rgba8)
        index += 1
      }
    }
    return bitmap
  }

  /// A Boolean value that indicates whether the effect of a step depends on pixels.
  package var isContentDependent: Bool { transforms.contains { $0.step.isContentDependent } }

  /// Returns the chain for all frames of an animation: the first frame resolves content-dependent steps for all of
  /// them, so that all frames come out alike.
  ///
  /// - Throws: The errors of ``apply(to:)`` and of `first`, which is only called if it is needed.
  package func resolved(for first: () throws(ImagingError) -> Bitmap) throws(ImagingError) -> TransformChain {
    guard isContentDependent else { return self }
    var bitmap = try first()
    var resolved: [ImageTransform] = []
    for transform in transforms {
      let steps = try transform.step.resolved(for: bitmap)
      for step in steps {
        resolved.append(ImageTransform(step))
        bitmap = try step.apply(to: bitmap)
      }
    }
    return TransformChain(resolved)
  }

  /// Splits off the last step; neighbouring colour steps at the end count as one, because they share a pass over the
  /// pixels. `nil` if nothing has to be done after decoding.
  ///
  /// - Parameter shrinksFirst: Pass true if a resize at the beginning is done while decoding.
  package func split(shrinksFirst: Bool) -> (before: TransformChain, last: TransformChain)? {
    guard let final = transforms.last else { return nil }
    if shrinksFirst, transforms.count == 1, thumbnail != nil { return nil }
    var count = 1
    if final.changesPixelsAlone { count = transforms.reversed().prefix(while: \.changesPixelsAlone).count }
    return (
      TransformChain(Array(transforms.dropLast(count))), TransformChain(Array(transforms.suffix(count)))
    )
  }

  /// The thumbnail that may be made while decoding.
  var thumbnail: Thumbnail? { transforms.first?.step.thumbnail }

  /// Returns the steps that replace two steps; `nil` if both stay.
  private static func fold(_ first: ImageTransform, _ second: ImageTransform) -> [ImageTransform]? {
    first.step.followed(by: second.step)?.map { ImageTransform($0) }
  }
}

extension ImageTransform {
  /// A Boolean value that indicates whether the step changes each pixel independently, or would with other parameters.
  fileprivate var changesPixelsAlone: Bool {
    do throws(ImagingError) { return try step.colorOperation != nil } catch { return true }
  }
}
