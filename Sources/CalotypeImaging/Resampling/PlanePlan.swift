/// The resizes of planes of luma and subsampled chroma to a thumbnail, before they become pixels: of fewer bytes than pixels,
/// with chroma decoded no larger than the thumbnail needs.
struct PlanePlan {
  /// The scale of chroma: eighths of its stored size, 1, 2, 4 or 8.
  let chromaEighths: Int
  let luma: ResamplePlan
  /// The resize of each of the planes of chroma.
  let chroma: ResamplePlan

  /// The chroma samples per pixel of the thumbnail, at least: fewer would be visible.
  private static let leastDetail = 0.75

  /// Returns `nil` if chroma has too little detail at any scale.
  ///
  /// - Parameters:
  ///   - plan: The resize of pixels of the size of luma.
  ///   - divisor: The scale of luma is 1/`divisor`.
  ///   - chroma: The luma samples per chroma sample in each direction, as stored.
  ///   - source: The size of the picture as stored.
  init?(_ plan: ResamplePlan, divisor: Int, chroma: (horizontal: Int, vertical: Int), source: PixelSize) {
    /// The chroma samples per luma sample, both as delivered.
    func ratio(_ eighths: Int, _ sampling: Int) -> Double {
      Double(eighths * divisor) / Double(8 * sampling)
    }
    let fitting = [1, 2, 4, 8].first { eighths in
      plan.horizontal.scale * ratio(eighths, chroma.horizontal) >= Self.leastDetail
        && plan.vertical.scale * ratio(eighths, chroma.vertical) >= Self.leastDetail
    }
    guard let eighths = fitting else { return nil }
    let size = PixelSize(
      width: (source.width * eighths - 1) / (8 * chroma.horizontal) + 1,
      height: (source.height * eighths - 1) / (8 * chroma.vertical) + 1)
    let region = plan.region.scaled(
      horizontal: ratio(eighths, chroma.horizontal), vertical: ratio(eighths, chroma.vertical))
    chromaEighths = eighths
    luma = plan.ofPlane(of: plan.source, region: plan.region)
    self.chroma = plan.ofPlane(of: size, region: region.clipped(to: size))
  }
}

extension ResamplePlan {
  /// The region of the source that is resized.
  fileprivate var region: Bitmap.Region {
    Bitmap.Region(
      x: horizontal.start, y: vertical.start, width: horizontal.extent, height: vertical.extent)
  }

  /// Returns the resize of a plane to the size of this one.
  fileprivate func ofPlane(of source: PixelSize, region: Bitmap.Region) -> ResamplePlan {
    ResamplePlan(
      source: source, format: .gray8, isOpaque: true,
      size: PixelSize(width: horizontal.count, height: vertical.count), region: region, filter: filter,
      linearLight: false)
  }
}
