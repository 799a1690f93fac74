import FoundationEssentials

extension CoderRegistry {
  /// Returns the smallest file among the formats that suit a still image.
  ///
  /// - Throws: `invalidParameter` without any format that has an encoder, and the errors of the encoders.
  func automatic(_ image: Image, _ options: EncodeOptions) throws(ImagingError) -> Data {
    let bitmap = image.bitmap
    let content = AutomaticFormat.Content(
      hasAlpha: try bitmap.hasTransparency(), hasFewColors: try bitmap.fitsPalette(),
      isDrawing: bitmap.hasFlatAreas, isAnimated: false)
    return try smallest(options, content) { options throws(ImagingError) in
      try encode(image, as: options)
    }
  }

  /// Returns the smallest file among the formats that suit an animation, whose first frame tells its content.
  ///
  /// - Throws: `invalidParameter` without any format that has an encoder, and the errors of the encoders.
  func automatic(_ animation: AnimationSource, _ options: EncodeOptions) throws(ImagingError) -> Data {
    let bitmap = try animation.frame(0).bitmap
    let content = AutomaticFormat.Content(
      hasAlpha: try bitmap.hasTransparency(), hasFewColors: try bitmap.fitsPalette(),
      isDrawing: bitmap.hasFlatAreas, isAnimated: true)
    return try smallest(options, content) { options throws(ImagingError) in
      try encode(animation, as: options)
    }
  }

  private func smallest(
    _ options: EncodeOptions, _ content: AutomaticFormat.Content,
    _ encode: (EncodeOptions) throws(ImagingError) -> Data
  ) throws(ImagingError) -> Data {
    let formats = options.possibleFormats.filter { canEncode($0) }
    guard !formats.isEmpty else {
      throw .invalidParameter(
        name: "among", reason: "none of \(options.possibleFormats) has an encoder in this build")
    }
    var best: Data?
    for way in AutomaticFormat.ways(for: content, among: formats) {
      var options = options.of(way.format, isLossless: way.isLossless)
      // Text and saturated edges suffer from chroma at half the resolution.
      if way.format == .jpeg, content.isDrawing { options.subsampling = .yuv444 }
      let made = try encode(options)
      if made.count < best?.count ?? .max { best = made }
    }
    guard let best else { throw .invalidParameter(name: "among", reason: "there is nothing to choose from") }
    return best
  }
}

extension Bitmap {
  /// Returns true if a palette of 256 holds all colours. Grey pixels never have more, also those of a photograph: there, 16
  /// levels count as few.
  ///
  /// - Throws: `cancelled`, and `encodingFailed` for inks.
  fileprivate func fitsPalette() throws(ImagingError) -> Bool {
    let survey = PNGSurvey(clears: false)
    try survey.add(self)
    guard let colors = survey.colors else { return false }
    let isGray = format == .gray8 || survey.isGray
    return !isGray || colors.count <= 16
  }
}
