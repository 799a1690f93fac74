import CalotypeImaging
import CalotypeURLs

/// The sizes of one stage: crop, scale, cut and extensions, in the axes of the result.
///
/// imgproxy computes scales in floating point, and rounds late. The order of operations is part of the rule: another one
/// rounds other halves.
struct StageGeometry {
  /// The picture before the stage, as it lies after the rotation of the stage.
  let source: PixelSize
  /// The box of the crop; `nil` for the whole picture.
  let crop: PixelSize?
  /// The factors of scaling.
  private(set) var scale = (x: 1.0, y: 1.0)
  /// The device pixel ratio that is in effect for offsets and paddings.
  private(set) var dpr = 1.0
  /// The box that was asked for; a side of 0 is free.
  private(set) var target = PixelSize(width: 0, height: 0)
  /// The picture after scaling.
  private(set) var scaled = PixelSize(width: 0, height: 0)
  /// The box that the scaled picture is cut to; a side of 0 is not cut.
  private(set) var cut = PixelSize(width: 0, height: 0)
  /// The canvas of `extend_aspect_ratio`; `nil` if the proportions are right.
  private(set) var ratioCanvas: PixelSize?

  private let stage: ProcessingStage

  /// The range of factors; numbers beyond it have no use but to overflow.
  private static let factors = 1e-5...1e5

  /// Computes the sizes.
  ///
  /// - Parameters:
  ///   - stage: The options.
  ///   - source: The picture, as it lies after the rotation of the stage.
  ///   - isVector: Pass true for a drawing, which may be enlarged.
  ///   - maxSide: The longest side of the result; 0 for none.
  init(_ stage: ProcessingStage, of source: PixelSize, isVector: Bool, maxSide: Int) {
    self.stage = stage
    self.source = source
    crop = CropBox.size(stage, of: source)
    computeScale(isVector: isVector)
    computeSizes()
    limit(to: maxSide)
  }

  /// The picture before scaling.
  var cropped: PixelSize { crop ?? source }

  private func factor(_ value: Double?) -> Double {
    (value ?? 1).limited(to: Self.factors, orIfNaN: 1)
  }

  private var zoom: (x: Double, y: Double) { (factor(stage.zoom?.x), factor(stage.zoom?.y)) }
  private var width: Int { max(0, stage.width ?? 0) }
  private var height: Int { max(0, stage.height ?? 0) }

  private mutating func computeScale(isVector: Bool) {
    let (sourceWidth, sourceHeight) = (Double(cropped.width), Double(cropped.height))
    var shrink = proportions(sourceWidth, sourceHeight)
    shrink.x /= zoom.x
    shrink.y /= zoom.y
    dpr = factor(stage.dpr)
    if stage.enlarges != true, !isVector {
      let smaller = min(shrink.x, shrink.y)
      if smaller < 1 {
        shrink.x /= smaller
        shrink.y /= smaller
        // The size is out of reach: a ratio below 1 would lead further away from it. An extension keeps its composition.
        if stage.extend?.isEnabled != true { dpr /= smaller }
      }
      // More would enlarge the picture.
      dpr = min(dpr, min(shrink.x, shrink.y))
    }
    if let least = stage.minWidth, least > 0, sourceWidth / Double(least) < shrink.x {
      shrink.y /= shrink.x / (sourceWidth / Double(least))
      shrink.x = sourceWidth / Double(least)
    }
    if let least = stage.minHeight, least > 0, sourceHeight / Double(least) < shrink.y {
      shrink.x /= shrink.y / (sourceHeight / Double(least))
      shrink.y = sourceHeight / Double(least)
    }
    scale = (1 / min(shrink.x / dpr, sourceWidth), 1 / min(shrink.y / dpr, sourceHeight))
  }

  /// Returns the divisors of both sides by the resizing type.
  private func proportions(_ sourceWidth: Double, _ sourceHeight: Double) -> (x: Double, y: Double) {
    let wanted = (
      width: width == 0 ? sourceWidth : Double(width), height: height == 0 ? sourceHeight : Double(height)
    )
    let (x, y) = (sourceWidth / wanted.width, sourceHeight / wanted.height)
    if x == 1, y == 1 { return (1, 1) }
    var type = stage.resizingType ?? .fit
    if type == .auto {
      type = (sourceWidth >= sourceHeight) == (wanted.width >= wanted.height) ? .fill : .fit
    }
    if type == .force { return (x, y) }
    if width == 0 { return (y, y) }
    if height == 0 { return (x, x) }
    let both = type == .fit ? max(x, y) : min(x, y)
    return (both, both)
  }

  private mutating func computeSizes() {
    target = PixelSize(
      width: Rounding.scaled(width, by: dpr * zoom.x), height: Rounding.scaled(height, by: dpr * zoom.y))
    scaled = PixelSize(
      width: max(1, Rounding.scaled(cropped.width, by: scale.x)),
      height: max(1, Rounding.scaled(cropped.height, by: scale.y)))
    cut = target
    if stage.resizingType == .fillDown, stage.enlarges != true { cut = reducedCut }
    ratioCanvas = stage.extendAspectRatio?.isEnabled == true ? extendedRatio : nil
  }

  /// The proportions of the target within a scaled picture that is too small for it.
  private var reducedCut: PixelSize {
    let (aim, picture) = (Sides(target), Sides(scaled))
    let missing = (width: aim.width / picture.width, height: aim.height / picture.height)
    if missing.width > missing.height, missing.width > 1 {
      return PixelSize(
        width: scaled.width, height: Rounding.scaled(scaled.width, by: aim.height / aim.width))
    }
    if missing.height > missing.width, missing.height > 1 {
      return PixelSize(
        width: Rounding.scaled(scaled.height, by: aim.width / aim.height), height: scaled.height)
    }
    return target
  }

  /// The picture after the cut, before extensions.
  private var fitted: PixelSize {
    PixelSize(
      width: Rounding.smallerOfGiven(scaled.width, cut.width),
      height: Rounding.smallerOfGiven(scaled.height, cut.height))
  }

  /// The smallest canvas around the picture with the proportions of the target.
  private var extendedRatio: PixelSize? {
    guard target.width > 0, target.height > 0 else { return nil }
    let (aim, picture) = (Sides(target), Sides(fitted))
    let missing = (width: aim.width / picture.width, height: aim.height / picture.height)
    if missing.height > missing.width {
      return PixelSize(
        width: fitted.width, height: Rounding.scaled(fitted.width, by: aim.height / aim.width))
    }
    if missing.width > missing.height {
      return PixelSize(
        width: Rounding.scaled(fitted.height, by: aim.width / aim.height), height: fitted.height)
    }
    return nil
  }

  private struct Sides {
    let width: Double
    let height: Double

    init(_ size: PixelSize) { (width, height) = (Double(size.width), Double(size.height)) }
  }

  /// The paddings in effect.
  var padding: ProcessingStage.Padding {
    let wanted = stage.padding ?? .init()
    func side(_ pixels: Int) -> Int { Rounding.scaledToEven(max(0, pixels), by: dpr) }
    return .init(
      top: side(wanted.top), right: side(wanted.right), bottom: side(wanted.bottom), left: side(wanted.left))
  }

  /// The size of the result, with extensions and paddings.
  private var result: PixelSize {
    var size = fitted
    var canvas: PixelSize?
    if stage.extend?.isEnabled == true { canvas = target } else { canvas = ratioCanvas }
    size.width = max(size.width, canvas?.width ?? 0) + padding.left + padding.right
    size.height = max(size.height, canvas?.height ?? 0) + padding.top + padding.bottom
    return size
  }

  /// Scales everything down until the longest side fits: once as imgproxy does, and again if roundings of several parts add
  /// up to more than the limit.
  private mutating func limit(to maxSide: Int) {
    guard maxSide > 0 else { return }
    for _ in 0..<64 {
      let longest = max(result.width, result.height)
      guard longest > maxSide else { return }
      let factor = Double(maxSide) / Double(longest)
      scale.x = max(scale.x * factor, 1 / Double(cropped.width))
      scale.y = max(scale.y * factor, 1 / Double(cropped.height))
      dpr *= factor
      computeSizes()
    }
  }
}
