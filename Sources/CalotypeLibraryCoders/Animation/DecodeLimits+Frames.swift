import CalotypeImaging

extension DecodeLimits {
  /// Refuses an animation whose frames are too much work in total, for coders that are called directly.
  ///
  /// - Throws: `ImagingError.limitExceeded(_:value:limit:)`.
  func check(framesOf info: ImageInfo) throws(ImagingError) {
    let (canvases, overflow) = info.size.pixelCount.multipliedReportingOverflow(by: info.frameCount)
    // Frames of a GIF may be larger than its canvas.
    let total = overflow ? Int.max : max(canvases, info.layout.frames.totalPixelCount)
    guard total <= maxTotalPixels else {
      throw .limitExceeded(.totalPixels, value: total, limit: maxTotalPixels)
    }
  }
}
