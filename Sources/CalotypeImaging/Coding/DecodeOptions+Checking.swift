extension DecodeOptions {
  /// Refuses combinations of options that no image can satisfy.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)``.
  package func check() throws(ImagingError) {
    let isFullSize = thumbnail == nil && maxPixels == nil
    if !isFullSize || !transforms.isEmpty, pixels == .native {
      throw .invalidParameter(
        name: "pixels",
        reason: "thumbnails and transforms are rgba8; ask for native pixels at full size, or for one of them")
    }
    guard page >= 0 else {
      throw .invalidParameter(name: "page", reason: "\(page) is below 0")
    }
    try vectorSize?.check()
    if let maxPixels, maxPixels < 1 {
      throw .invalidParameter(name: "maxPixels", reason: "\(maxPixels) is below 1")
    }
  }
}
