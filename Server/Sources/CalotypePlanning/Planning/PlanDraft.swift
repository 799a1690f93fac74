import CalotypeImaging
import CalotypeURLs

/// A plan in the making: the checks of the source, and the choices that concern the whole.
struct PlanDraft {
  let policy: PlanningPolicy
  let request: PlanRequest
  /// The client hints that could stand in for options.
  let hintHeaders: [String]
  let trims: [PixelSize]
  private var notices: Set<PlanNotice> = []

  var options: ProcessingOptions { request.options }
  var info: ImageInfo { request.info }

  init(_ policy: PlanningPolicy, _ request: PlanRequest, hintHeaders: [String], trims: [PixelSize]) {
    self.policy = policy
    self.request = request
    self.hintHeaders = hintHeaders
    self.trims = trims
  }

  /// The most frames that may be used.
  private var frameLimit: Int { max(1, options.maxAnimationFrames ?? policy.limits.animationFrames) }

  /// A Boolean value that indicates whether several frames are wanted.
  private var wantsAnimation: Bool {
    frameLimit > 1 && info.frameCount > 1 && options.disablesAnimation != true
  }

  /// The choice of the format.
  var output: OutputDecision {
    OutputDecision(
      policy: policy, source: RequestedFormat(info.format),
      requested: options.format == .best ? nil : options.format, isAnimated: wantsAnimation,
      mayBeTransparent: options.stages.reduce(info.hasAlpha) { alpha, stage in
        // A translucent background leaves transparency.
        if case .color? = stage.background, stage.backgroundAlpha ?? 1 >= 1 { return false }
        return alpha || stage.extend?.isEnabled == true || stage.padding.map { $0 != .init() } ?? false
      })
  }

  // MARK: - Checks

  private func pixels(_ millions: Double?, or limit: Int) -> Int {
    guard let millions, millions >= 0 else { return limit }
    return Int(min(millions * 1_000_000, 0x1p52))
  }

  private var sourceLimit: Int {
    max(1, pixels(options.maxSourceResolution, or: policy.limits.sourcePixels))
  }

  /// Refuses a source that is too large. Drawings have no pixels to count.
  func checkSource(frames: Int) throws(PlanningError) {
    guard info.size.width > 0, info.size.height > 0 else {
      throw PlanningError(
        .emptySource, at: "source", "the picture is \(info.size) pixels", remedy: "send a picture with pixels"
      )
    }
    let byteLimit = options.maxSourceFileSize ?? policy.limits.sourceBytes
    if byteLimit > 0, let count = request.byteCount, count > byteLimit {
      throw PlanningError(
        .sourceFileTooLarge, at: "source", "the file has \(count) bytes, and \(byteLimit) are allowed",
        remedy: "raise max_src_file_size to allow it")
    }
    guard max(info.size.width, info.size.height) <= Rounding.largest else {
      throw tooLarge(.sourceTooLarge, info.size.pixelCount, sourceLimit)
    }
    if info.isVector { return }
    let frameLimit = pixels(options.maxAnimationFrameResolution, or: policy.limits.framePixels)
    if frames > 1, frameLimit > 0 {
      guard info.size.pixelCount <= frameLimit else {
        throw tooLarge(.frameTooLarge, info.size.pixelCount, frameLimit)
      }
      return
    }
    let (count, overflow) = info.size.pixelCount.multipliedReportingOverflow(by: frames)
    guard !overflow, count <= sourceLimit else {
      throw tooLarge(.sourceTooLarge, overflow ? .max : count, sourceLimit)
    }
  }

  private func tooLarge(_ fault: PlanningError.Fault, _ count: Int, _ limit: Int) -> PlanningError {
    let isFrame = fault == .frameTooLarge
    return PlanningError(
      fault, at: "source",
      "\(isFrame ? "a frame has" : "the picture has") \(count) pixels, and \(limit) are allowed",
      remedy: "raise \(isFrame ? "max_animation_frame_resolution" : "max_src_resolution") to allow it")
  }

  // MARK: - Choices

  /// Makes the plan.
  mutating func plan() throws(PlanningError) -> RenderPlan {
    let client = ClientFormats(policy, accept: request.accept)
    var format = try output.format(for: client, accept: request.accept)
    var decode = try decodePlan(format)
    try checkSource(frames: decode.frames ?? decode.pages)
    var stages = StagesDraft(
      policy: policy, size: sourceSize(decode), isOpaque: !info.hasAlpha,
      maxSide: max(0, options.maxResultDimension ?? policy.limits.resultSide), trims: trims,
      watermarks: request.watermarks)
    stages.orientation = decode.appliesOrientation ? info.orientation : .topLeft
    stages.isVector = info.isVector
    stages.isAnimated = decode.frames != nil
    for (index, stage) in options.stages.enumerated() {
      try stages.append(stage, isFirst: index == 0, format: index == options.stages.count - 1 ? format : nil)
    }
    if format == .avif, min(stages.size.width, stages.size.height) < FormatCeiling.shortestAVIFSide {
      format = stages.isOpaque ? .jpeg : .png
      notices.insert(.tooSmallForAVIF)
    }
    decode.drawnSize = info.isVector ? stages.drawnSize : nil
    decode.divisor = stages.divisor(of: info, policy: policy, keepsDepth: decode.keepsDepth)
    notices.formUnion(stages.notices)
    let encode = encodePlan(format, client, stages.size)
    var plan = RenderPlan(
      decode: decode, operations: stages.operations, encode: encode, sizes: stages.sizes,
      resultSize: stages.size, pendingTrim: stages.pendingTrim,
      cost: PredictedCost(milliseconds: 0, byteCount: 0), notices: notices, varyingHeaders: varyingHeaders)
    plan.cost = CostModel(policy.costs).cost(
      of: plan, info: info, decoding: Array(request.watermarks.values))
    return plan
  }

  private func decodePlan(_ format: RequestedFormat) throws(PlanningError) -> DecodePlan {
    var decode = DecodePlan()
    decode.appliesOrientation = options.stages.first?.autoRotates ?? policy.autoRotates
    if wantsAnimation, policy.animatedFormats.contains(format) {
      decode.frames = min(info.frameCount, frameLimit)
    } else {
      // Frames count as pages where there is no animation.
      let count = max(1, info.pageCount, info.frameCount)
      decode.page = max(0, options.page ?? 0)
      guard decode.page < count else {
        throw PlanningError(
          .noSuchPage, at: "page",
          "the source has \(count) pages or frames, and none has the number \(decode.page)",
          remedy: "request a page from 0 to \(count - 1)")
      }
      decode.pages = min(max(1, options.pages ?? 1), count - decode.page)
    }
    decode.usesEmbeddedThumbnail =
      (options.enforcesThumbnail ?? policy.enforcesThumbnail)
      && RequestedFormat(info.format)?.hasThumbnails ?? false
    decode.keepsDepth =
      (options.preservesHDR ?? policy.preservesHDR) && format.holdsDepth && info.bitDepth > 8
    decode.convertsToSRGB = options.stripsColorProfile ?? policy.stripsColorProfile
    let strips = options.stripsMetadata ?? policy.stripsMetadata
    decode.readsMetadata = !strips || options.keepsCopyright ?? policy.keepsCopyright
    decode.style = info.isVector ? options.style : nil
    return decode
  }

  /// Returns the upright size of the picture to process; drawings are limited instead of refused.
  private mutating func sourceSize(_ decode: DecodePlan) -> PixelSize {
    var size = decode.appliesOrientation ? info.orientation.apply(to: info.size) : info.size
    // The number of their pixels was checked.
    size.height *= decode.pages
    guard info.isVector, size.pixelCount > sourceLimit else { return size }
    notices.insert(.drawnSmaller)
    let shrink = (Double(size.width) * Double(size.height) / Double(sourceLimit)).squareRoot()
    return PixelSize(
      width: max(1, Rounding.away(Double(size.width) / shrink)),
      height: max(1, Rounding.away(Double(size.height) / shrink)))
  }

  /// Whether the best format is wanted.
  private var wantsBestFormat: Bool {
    options.format == .best || options.format == nil && policy.prefersBestFormat
  }

  private func isSearched(_ size: PixelSize, upTo pixels: Int) -> Bool {
    pixels <= 0 || size.pixelCount <= pixels
  }

  private mutating func encodePlan(
    _ format: RequestedFormat, _ client: ClientFormats, _ size: PixelSize
  ) -> EncodePlan {
    var encode = EncodePlan(format)
    if wantsBestFormat {
      if isSearched(size, upTo: policy.bestFormatPixels) {
        encode.candidates = output.candidates(for: client)
      } else {
        notices.insert(.bestFormatNotSearched)
      }
    }
    if format.hasQuality {
      let given = [options.quality, options.formatQuality[format], policy.formatQuality[format]]
      encode.quality = min(100, given.lazy.compactMap(\.self).first { $0 > 0 } ?? policy.quality)
      encode.maxBytes = options.maxBytes.flatMap { $0 > 0 ? $0 : nil }
      let automatic = options.autoquality ?? policy.autoquality
      if let automatic, let method = automatic.method, method != .none,
        isSearched(size, upTo: policy.autoqualityPixels)
      {
        encode.autoquality = completed(automatic, format)
      }
    }
    encode.effort = policy.efforts[format] ?? .balanced
    switch format {
    case .jpeg: encode.jpeg = (options.jpeg ?? .init()).completed(by: policy.jpeg)
    case .png: encode.png = (options.png ?? .init()).completed(by: policy.png)
    case .webp: encode.webp = (options.webp ?? .init()).completed(by: policy.webp)
    case .avif: encode.avif = (options.avif ?? .init()).completed(by: policy.avif)
    default: break
    }
    encode.stripsMetadata = options.stripsMetadata ?? policy.stripsMetadata
    encode.keepsCopyright = encode.stripsMetadata && options.keepsCopyright ?? policy.keepsCopyright
    encode.keepsColorProfile = !(options.stripsColorProfile ?? policy.stripsColorProfile)
    encode.colorProfile = options.colorProfile
    encode.dpi = options.dpi.flatMap { $0 > 0 ? $0 : nil }
    return encode
  }

  /// Returns a search with all of its values: those of the URL, else of the server for the format, else for all.
  private func completed(
    _ search: ProcessingOptions.Autoquality, _ format: RequestedFormat
  ) -> ProcessingOptions.Autoquality {
    var search = search
    let given = options.autoquality
    search.method = search.method ?? policy.autoquality?.method
    search.target = given?.target ?? policy.autoquality?.target ?? 0.02
    search.minQuality =
      given?.minQuality ?? policy.autoqualityMinimum[format] ?? policy.autoquality?.minQuality ?? 70
    search.maxQuality =
      given?.maxQuality ?? policy.autoqualityMaximum[format] ?? policy.autoquality?.maxQuality ?? 80
    search.allowedError = given?.allowedError ?? policy.autoquality?.allowedError ?? 0.002
    return search
  }

  private var varyingHeaders: [String] { (output.dependsOnAccept ? ["Accept"] : []) + hintHeaders }
}
