#if JXL
import FoundationEssentials

extension JXLReader {
  /// The description of the file.
  var info: ImageInfo { header.info(of: survey) }

  /// Refuses a codestream that ends early, and one whose hidden frames would take too much memory.
  ///
  /// - Throws: ``ImagingError/truncated(_:byteCount:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  func check(_ options: DecodeOptions, encodedByteCount: Int) throws(ImagingError) {
    if survey.isCut, !options.keepsPartial { throw .truncated(.jxl, byteCount: encodedByteCount) }
    guard !survey.frames.isEmpty || survey.isCut else {
      throw .corrupt(.jxl, reason: "it has no frame", offset: nil)
    }
    let frames = survey.byteCount(channelCount: 3 + header.channels.count, of: header.size)
    let (total, overflow) = frames.addingReportingOverflow(options.workingByteCount(for: info))
    try options.limits.check(predictedByteCount: overflow ? .max : total, encodedByteCount: encodedByteCount)
  }

  /// Returns the image of a decoded frame.
  func image(
    _ bitmap: Bitmap, isPartial: Bool, of data: Data, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    Image(
      bitmap: bitmap, info: info, orientation: header.orientation, isPartial: isPartial || survey.isCut,
      profile: profile,
      metadata: options.readsMetadata ? try JXLMetadata.read(data, limits: options.limits) : ImageMetadata())
  }
}

extension JXLSurvey {
  /// The bytes that libjxl takes for stored frames beyond a usual picture of this size, in samples of four bytes: for
  /// those that it keeps for later ones, and for one that is larger.
  func byteCount(channelCount: Int, of size: PixelSize) -> Int {
    let (pixels, overflow) = keptPixelCount.addingReportingOverflow(
      max(0, largestPixelCount - size.pixelCount))
    let (bytes, overflow2) = pixels.multipliedReportingOverflow(by: 4 * channelCount)
    return overflow || overflow2 ? .max : bytes
  }
}
#endif
