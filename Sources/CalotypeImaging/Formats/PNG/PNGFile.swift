import FoundationEssentials

/// A PNG whose input has ended: the interpretation of its chunks as an image.
struct PNGFile {
  let bytes: UnsafeRawBufferPointer
  let structure: PNGStructure
  let options: DecodeOptions

  /// The layout of the requested pixels. It is never grey without alpha for an animation, whose canvas is transparent.
  var format: PixelFormat {
    let isWide = structure.header.bitDepth == 16
    if isWide, options.mapsTones(of: structure.color.dynamicRange) { return .rgba16 }
    guard options.pixels == .native else { return .rgba8 }
    if isWide { return .rgba16 }
    let isGray = structure.header.colorType == .gray && !structure.hasAlpha
    return isGray && !structure.isAnimated ? .gray8 : .rgba8
  }

  /// The frame that represents the image, if that is not the default image.
  var firstFrame: PNGFrame? {
    structure.animation?.frames.first.flatMap { $0.pixels == .imageData ? nil : $0 }
  }

  /// Returns the information in the header.
  func info(_ profile: ColorProfile?) -> ImageInfo {
    var info = ImageInfo(
      format: .png, size: structure.header.size, hasAlpha: structure.hasAlpha,
      bitDepth: Int(structure.header.bitDepth))
    if let animation = structure.animation {
      info.format = .apng
      info.isDamaged = structure.isDamaged
      if !animation.frames.isEmpty {
        info.frameCount = animation.frames.count
        info.loopCount = animation.plays
        info.durations = animation.frames.map { .milliseconds($0.duration) }
      }
    }
    if let exif = structure.exif, let orientation = Exif.orientation(in: Data(bytes[exif.payload])) {
      info.orientation = orientation
    }
    switch profile {
    case .icc(let data): info.colorProfile = ICCProfile.description(of: data)
    case .sRGB: info.colorProfile = "sRGB"
    case .calibrated, .cicp, nil: break
    }
    info.dynamicRange = profile?.dynamicRange ?? .standard
    info.layout = ImageInfo.Layout(self, profile: profile)
    return info
  }

  /// The number of passes over the picture: 1, or the passes of the interlaced image that represents it.
  var passCount: Int { firstFrame == nil ? PNGPass.all(of: structure.header).count : 1 }

  /// The colour profile.
  var profile: ColorProfile? { structure.color.profile(bytes, limit: options.limits.maxChunkBytes) }

  /// Exif and XMP, if the options request them.
  var metadata: ImageMetadata {
    guard options.readsMetadata else { return ImageMetadata() }
    let limit = options.limits.maxChunkBytes
    let exif = structure.exif.flatMap { $0.payload.count <= limit ? Data(bytes[$0.payload]) : nil }
    return ImageMetadata(exif: exif, xmp: structure.xmp.flatMap { PNGText.xmp($0, bytes, limit: limit) })
  }

  /// Returns an image with the information of all chunks.
  func image(_ bitmap: Bitmap, _ flaws: DamageReport) -> Image {
    let profile = profile
    let info = info(profile).marked(flaws)
    return Image(
      bitmap: bitmap, info: info, orientation: info.orientation, isPartial: flaws.contains(.partial),
      profile: profile, metadata: metadata)
  }

  /// Returns the flaws of the animation behind its first frame.
  ///
  /// - Throws: The error of the animation, unless the options accept it: caches would otherwise keep a still of a
  ///   truncated animation in place of the whole.
  func animationFlaws() throws(ImagingError) -> DamageReport {
    guard let damage = structure.animation?.damage else { return [] }
    guard options.accepts(damage) else { throw damage }
    return DamageReport(damage)
  }

  /// Decodes the image and resamples its rows as they are decoded; `nil` if it has to be decoded as a whole, because it
  /// is interlaced, damaged or the first frame of an animation, or there is nothing to shrink.
  func shrink(by shrinker: RowShrinker, _ watch: DecodeLimits.DeadlineChecker) throws(ImagingError) -> Image?
  {
    let flaws = try animationFlaws()
    // Missing rows would be transparent, and the sink has to know that in advance.
    guard firstFrame == nil, !structure.header.isInterlaced, !options.keepsPartial else { return nil }
    guard
      let rows = try shrinker.rows(
        of: structure.header.size, format: format, isOpaque: !structure.hasAlpha, profile: profile)
    else { return nil }
    let expander = PNGExpander(bytes, structure, header: structure.header, format: format)
    let isSound = try PNGShrinker(expander, rows: rows).read(PNGImageData(bytes, structure), watch: watch)
    guard isSound, let bitmap = shrinker.take(rows) else { return nil }
    return image(bitmap, flaws)
  }

  /// A Boolean value that indicates whether the canvas is made transparent before rows are painted, because some may be
  /// missing. If only damage is accepted, which is rare, missing rows are cleared afterwards.
  private var clearsBefore: Bool {
    options.keepsPartial || (options.toleratesDamage && structure.header.isInterlaced)
  }

  /// Decodes the image, or the first frame of an animation on its canvas.
  ///
  /// - Throws: The error of its data, unless the options accept it and there is at least one row; and the errors of
  ///   ``animationFlaws()``.
  func decode(_ watch: DecodeLimits.DeadlineChecker) throws(ImagingError) -> Image {
    let flaws = try animationFlaws()
    let frame = firstFrame
    let coversCanvas = frame.map { $0.size == structure.header.size } ?? true
    let spare = frame == nil ? try PNGPixelReader.spare(for: structure, format: format) : 0
    let canvas = try PixelCanvas(size: structure.header.size, format: format, spare: spare)
    let reader = PNGPixelReader(bytes, structure, watch: watch)
    let outcome: PNGPixelReader.Outcome
    if let frame {
      if !coversCanvas || clearsBefore { canvas.clear() }
      outcome = try reader.read(frame, onto: canvas, blends: false)
    } else {
      outcome = try reader.readImage(onto: canvas, clears: clearsBefore)
    }
    if outcome.rows == 0, let failure = outcome.failure { throw failure }
    if let refusal = outcome.refusal(under: options) { throw refusal }
    if outcome.failure != nil, coversCanvas, !clearsBefore {
      let size = structure.header.size
      canvas.clear(
        PixelRectangle(
          x: 0, y: outcome.rows, size: PixelSize(width: size.width, height: size.height - outcome.rows)))
    }
    let isOpaque = outcome.failure == nil && coversCanvas && !structure.hasAlpha
    return image(canvas.finished(isOpaque: isOpaque), flaws.union(outcome.flaws))
  }
}

extension PNGStructure {
  /// A Boolean value that indicates whether there are frames.
  var isAnimated: Bool { !(animation?.frames.isEmpty ?? true) }

  /// A Boolean value that indicates whether the animation is damaged, not merely truncated.
  var isDamaged: Bool { if case .corrupt? = animation?.damage { true } else { false } }
}

extension ImagingError {
  /// A Boolean value that indicates whether the pixels decoded before the error may be shown.
  var leavesPixels: Bool {
    switch self {
    case .corrupt, .truncated: true
    default: false
    }
  }
}
