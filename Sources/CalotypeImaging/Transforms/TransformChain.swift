/// Transforms, one after the other. The empty chain, or one whose steps cancel out, returns the picture itself; all others
/// return ``PixelFormat/rgba8``.
///
/// ```swift
/// let chain: TransformChain = [.resize(width: 320, height: 240, mode: .fill), .roundedCorners(12)]
/// let badge = try chain.apply(to: photo.bitmap)
/// ```
///
/// Steps that undo each other are dropped, cuts of cuts become one, and neighbouring colour steps share a pass over the
/// pixels: never with other bytes than one step after the other.
public struct TransformChain: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// The steps that remain.
  public let transforms: [ImageTransform]

  /// Creates a chain; what can be folded is.
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

  /// Whether the chain changes nothing.
  public var isEmpty: Bool { transforms.isEmpty }

  /// Everything that the result depends on besides the picture: the identities of the steps, a line each, behind their
  /// lengths.
  public var identity: String {
    transforms.map { "\($0.identity.utf8.count) \($0.identity)\n" }.joined()
  }

  /// Returns the picture after all steps.
  ///
  /// - Throws: what the steps throw: ``ImagingError/invalidParameter(name:reason:)``,
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

  /// Whether a step looks at pixels to decide what it does.
  package var isContentDependent: Bool { transforms.contains { $0.step.isContentDependent } }

  /// The chain for all frames of an animation: what is decided by looking at pixels is decided once, by the first frame,
  /// so that all frames come out alike.
  ///
  /// - Throws: as ``apply(to:)``, and what `first` throws, which is only asked for when it is needed.
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

  /// The chain without its last step, and that step; neighbouring colour steps at the end are one, because they share a
  /// pass over the pixels. `nil` when there is nothing that has to be done after decoding.
  ///
  /// - Parameter shrinksFirst: Whether a resize at the beginning is done while decoding.
  package func split(shrinksFirst: Bool) -> (before: TransformChain, last: TransformChain)? {
    guard let final = transforms.last else { return nil }
    if shrinksFirst, transforms.count == 1, thumbnail != nil { return nil }
    var count = 1
    if final.changesPixelsAlone { count = transforms.reversed().prefix(while: \.changesPixelsAlone).count }
    return (
      TransformChain(Array(transforms.dropLast(count))), TransformChain(Array(transforms.suffix(count)))
    )
  }

  /// What may be done first, while decoding.
  var thumbnail: Thumbnail? { transforms.first?.step.thumbnail }

  /// What two steps come to; `nil` when they stay two.
  private static func fold(_ first: ImageTransform, _ second: ImageTransform) -> [ImageTransform]? {
    first.step.followed(by: second.step)?.map { ImageTransform($0) }
  }
}

extension ImageTransform {
  /// Whether the step changes each pixel by itself, or would with other parameters.
  fileprivate var changesPixelsAlone: Bool {
    do throws(ImagingError) { return try step.colorOperation != nil } catch { return true }
  }
}
