public import FoundationEssentials

extension CoderRegistry {
  /// Encodes a picture: upright, because an orientation is never written; in sRGB, unless its profile is kept
  /// and the format can hold it (``ImageEncoding/holds(_:)``); at
  /// most ``EncodeOptions/maxPixelSize`` long and ``EncodeOptions/maxFileSize`` large, at ``EncodeOptions/quality`` or, with a
  /// ``EncodeOptions/qualityTarget``, at that which meets it, or with the palette that does. A picture of 16 bits that has
  /// to be shrunk for that is rounded to 8.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` without an encoder for the format;
  ///   ``ImagingError/cannotFit(byteCount:limit:)`` if the options require it; ``ImagingError/invalidParameter(name:reason:)`` for a limit below
  ///   1; the errors of the encoder.
  public func encode(_ image: Image, as options: EncodeOptions) throws(ImagingError) -> Data {
    if options.format == .automatic { return try automatic(image, options) }
    let encoder = try encoder(for: options.format)
    try options.check()
    var image = image
    if let side = options.maxPixelSize { image = image.with(bitmap: try image.bitmap.shrunk(toSide: side)) }
    let keepsProfile = options.keeps.contains(.icc) && (image.profile.map(encoder.holds) ?? true)
    if image.bitmap.format == .cmyk8 || !keepsProfile {
      image = try image.convertedToSRGB(keepsGray: true)
    }
    image = try image.upright()
    let usesQuality = encoder.usesQuality(options)
    func attempt(_ options: EncodeOptions) throws(ImagingError) -> Data {
      try encoder.encode(image, options: options.withSubsampling(for: image.bitmap))
    }
    let first: Attempt
    if let target = options.qualityTarget, usesQuality {
      first = try encoded(image, as: options, to: target, attempt)
    } else if let target = options.qualityTarget, options.format == .png, options.usesPalette,
      image.bitmap.format == .rgba8
    {
      // The colours are counted once for all attempts.
      let colors = encoder is PNGEncoder ? ColorHistogram() : nil
      try colors?.add(image.bitmap)
      first = (
        try encodedWithPalette(image, as: options, to: target) { options throws(ImagingError) in
          guard let colors else { return try attempt(options) }
          return try PNGEncoder.encode(image, options: options, colors: colors)
        }, options.quality
      )
    } else {
      first = (try attempt(options), options.quality)
    }
    return try fitted(first, options, usesQuality: usesQuality, attempt)
  }

  /// Encodes an animation. One frame becomes a still image. A quality that meets ``EncodeOptions/qualityTarget`` is searched with
  /// the first frame.
  ///
  /// - Throws: The errors of ``encode(_:as:)-(Image,_)``; ``ImagingError/unsupportedFormat(_:reason:)`` if the format
  ///   has no animations; ``ImagingError/invalidParameter(name:reason:)`` for an animation without frames, with frames
  ///   of different sizes, or with a duration or loop count below 0.
  public func encode(_ animation: AnimationSource, as options: EncodeOptions) throws(ImagingError) -> Data {
    if options.format == .automatic, animation.frameCount > 0 { return try automatic(animation, options) }
    let encoder = try encoder(for: options.format)
    try options.check()
    guard animation.frameCount > 0, animation.loopCount >= 0 else {
      throw .invalidParameter(
        name: "animation", reason: "\(animation.frameCount) frames, \(animation.loopCount) plays")
    }
    guard animation.frameCount > 1 else {
      return try encode(Image(bitmap: try animation.frame(0).bitmap), as: options)
    }
    let usesQuality = encoder.usesQuality(options)
    var options = try options.withSubsampling(for: try animation.frame(0).bitmap)
    if let target = options.qualityTarget, usesQuality {
      var image = Image(bitmap: try animation.frame(0).bitmap)
      if let side = options.maxPixelSize { image = image.with(bitmap: try image.bitmap.shrunk(toSide: side)) }
      let still = image
      options.quality = try encoded(still, as: options, to: target) { options throws(ImagingError) in
        try encoder.encode(still, options: options)
      }.quality
    }
    func attempt(_ options: EncodeOptions) throws(ImagingError) -> Data {
      let size = FirstSize()
      let checked = AnimationSource(frameCount: animation.frameCount, loopCount: animation.loopCount) {
        index throws(ImagingError) in
        var frame = try animation.frame(index)
        try size.check(frame, at: index)
        if let side = options.maxPixelSize { frame.bitmap = try frame.bitmap.shrunk(toSide: side) }
        return frame
      }
      return try encoder.encode(checked, options: options)
    }
    return try fitted(
      (try attempt(options), options.quality), options, usesQuality: usesQuality, attempt)
  }
}

/// The common size of all frames.
private final class FirstSize {
  private var size: PixelSize?

  func check(_ frame: AnimationSource.Frame, at index: Int) throws(ImagingError) {
    let first = size ?? frame.bitmap.size
    guard frame.bitmap.size == first, frame.duration >= .zero else {
      throw .invalidParameter(
        name: "animation",
        reason: "frame \(index) is \(frame.bitmap.size), \(frame.duration); the first is \(first)")
    }
    size = first
  }
}

extension EncodeOptions {
  fileprivate func check() throws(ImagingError) {
    for (name, limit) in [("maxPixelSize", maxPixelSize), ("maxFileSize", maxFileSize)] {
      if let limit, limit < 1 { throw .invalidParameter(name: name, reason: "\(limit) is below 1") }
    }
    try qualityTarget?.check()
  }
}

extension Bitmap {
  /// Returns the bitmap with its longer side shrunk to at most `side` pixels.
  fileprivate func shrunk(toSide side: Int) throws(ImagingError) -> Bitmap {
    guard max(width, height) > side else { return self }
    if format == .rgba16 { return try converted(to: .rgba8).shrunk(toSide: side) }
    return try shrunk(to: .fit(width: side, height: side), sourceSize: size, orientation: .topLeft)
  }
}
