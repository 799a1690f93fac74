/// Transforms, one after the other. The empty chain, or one that comes to nothing, is the picture itself; all others
/// make ``PixelFormat/rgba8``.
///
/// ```swift
/// let chain: TransformChain = [.resize(320, 240, mode: .fill), .roundedCorners(12)]
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

  /// Whether nothing is to be done.
  public var isEmpty: Bool { transforms.isEmpty }

  /// All that the result depends on beside the picture: the identities of the steps, a line each, behind their
  /// lengths.
  public var identity: String {
    transforms.map { "\($0.identity.utf8.count) \($0.identity)\n" }.joined()
  }

  /// The picture after all steps.
  ///
  /// - Throws: what the steps throw: ``ImagingError/invalidParameter(name:reason:)``,
  ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
    var bitmap = isEmpty ? bitmap : try bitmap.converted(to: .rgba8)
    var index = 0
    while index < transforms.count {
      if Task.isCancelled { throw .cancelled }
      let colors = transforms[index...].prefix { $0.step is any ColorTransforming }
      if colors.count > 1 {
        let steps = colors.compactMap { $0.step as? any ColorTransforming }
        bitmap = try ColorPass(steps: steps).apply(to: bitmap)
        index += colors.count
      } else {
        bitmap = try transforms[index].step.apply(to: bitmap).converted(to: .rgba8)
        index += 1
      }
    }
    return bitmap
  }

  /// Whether a step looks at pixels to decide what it does.
  package var isContentDependent: Bool { transforms.contains { $0.step is any ContentDependent } }

  /// The chain for all frames of an animation: what is decided by looking at pixels is decided once, by the first frame,
  /// so that all frames come out alike.
  ///
  /// - Throws: as ``apply(to:)``, and what `first` throws, which is only asked for when it is needed.
  package func resolved(for first: () throws(ImagingError) -> Bitmap) throws(ImagingError) -> TransformChain {
    guard isContentDependent else { return self }
    var bitmap = try first()
    var resolved: [ImageTransform] = []
    for transform in transforms {
      let steps = try (transform.step as? any ContentDependent)?.resolved(for: bitmap) ?? [transform.step]
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
    if final.step is any ColorTransforming {
      count = transforms.reversed().prefix { $0.step is any ColorTransforming }.count
    }
    return (
      TransformChain(Array(transforms.dropLast(count))), TransformChain(Array(transforms.suffix(count)))
    )
  }

  /// What may be done first, while decoding.
  var thumbnail: Thumbnail? { (transforms.first?.step as? Resize)?.thumbnail }

  /// What two steps come to; `nil` when they stay two.
  private static func fold(_ first: ImageTransform, _ second: ImageTransform) -> [ImageTransform]? {
    switch (first.step, second.step) {
    case (let a as Flip, let b as Flip) where a == b:
      return []
    case (let a as Rotate, let b as Rotate):
      return a.followed(by: b).map { $0.degrees == 0 ? [] : [ImageTransform($0)] }
    case (let a as Crop, let b as Crop):
      return a.followed(by: b).map { [ImageTransform($0)] }
    case (is Invert, is Invert) where first == second && first == .invert():
      return []
    default:
      return nil
    }
  }
}

/// A step that looks at the pixels to decide on the size or place of the result.
protocol ContentDependent: ImageTransforming {
  /// The same, decided for `bitmap`.
  func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming]
}

extension Trim: ContentDependent {
  func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming] {
    let kept = try keptRectangle(of: bitmap.converted(to: .rgba8))
    return [Crop(.pixels(x: kept.x, y: kept.y, width: kept.size.width, height: kept.size.height))]
  }
}

extension Resize: ContentDependent {
  func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming] {
    guard let (cover, cut) = smartSteps else { return [self] }
    return [cover] + (try cut.resolved(for: cover.apply(to: bitmap)))
  }
}

extension Crop: ContentDependent {
  func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming] {
    guard case .box(let width, let height, let anchor) = area, anchor.interest != nil else { return [self] }
    let size = PixelSize(width: min(width, bitmap.width), height: min(height, bitmap.height))
    let (x, y) = try anchor.origin(of: size, in: bitmap)
    return [Crop(.pixels(x: x, y: y, width: size.width, height: size.height))]
  }

  /// One cut for two; `nil` unless both are rectangles that begin in the picture.
  func followed(by next: Crop) -> Crop? {
    guard case .pixels(let x, let y, let width, let height) = area,
      case .pixels(let nextX, let nextY, let nextWidth, let nextHeight) = next.area,
      x >= 0, y >= 0, nextX >= 0, nextY >= 0, width > 0, height > 0, nextWidth > 0, nextHeight > 0,
      nextX < width, nextY < height, max(x, y, width, height, nextX, nextY) < Int(Int32.max)
    else { return nil }
    return Crop(
      .pixels(
        x: x + nextX, y: y + nextY, width: min(nextWidth, width - nextX),
        height: min(nextHeight, height - nextY)))
  }
}

extension Rotate {
  /// One turn for two; `nil` unless both are quarter turns that move pixels only.
  func followed(by next: Rotate) -> Rotate? {
    guard fitsSize, next.fitsSize, degrees.truncatingRemainder(dividingBy: 90) == 0,
      next.degrees.truncatingRemainder(dividingBy: 90) == 0
    else { return nil }
    let quarters =
      (degrees.truncatingRemainder(dividingBy: 360) + next.degrees.truncatingRemainder(dividingBy: 360))
      .truncatingRemainder(dividingBy: 360)
    return Rotate(degrees: quarters < 0 ? quarters + 360 : quarters)
  }
}
