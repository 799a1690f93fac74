extension ColorProfile {
  /// The range of brightness that the samples encode: ``ImageInfo/DynamicRange/standard`` unless the profile has code
  /// points of a curve of high dynamic range.
  public var dynamicRange: ImageInfo.DynamicRange {
    if case .cicp(let points) = self { points.dynamicRange } else { .standard }
  }
}

extension ColorProfile.CodePoints {
  /// The range of brightness that the curve encodes.
  public var dynamicRange: ImageInfo.DynamicRange {
    switch transfer {
    case 16: .pq
    case 18: .hlg
    default: .standard
    }
  }
}
