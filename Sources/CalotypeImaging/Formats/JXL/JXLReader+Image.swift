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
      try options.limits.check(
        predictedByteCount: survey.byteCount(channelCount: 3 + header.channels.count),
        encodedByteCount: encodedByteCount)
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
    /// The bytes that libjxl takes for stored frames, in samples of four bytes: one frame, and those that it keeps for
    /// later ones.
    func byteCount(channelCount: Int) -> Int {
      let (pixels, overflow) = keptPixelCount.addingReportingOverflow(largestPixelCount)
      let (bytes, overflow2) = pixels.multipliedReportingOverflow(by: 4 * channelCount)
      return overflow || overflow2 ? .max : bytes
    }
  }
#endif
