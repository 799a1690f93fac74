public import ArgumentParser
public import Calotype

/// Options of all commands that produce pixels.
struct PixelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Shrink to fit W×H pixels; never enlarges. One side may be left out: 320x, x240.",
      valueName: "WxH"))
  var thumbnail: BoxArgument?

  @Option(
    help: ArgumentHelp(
      "Shrink to at most this many pixels, width times height, keeping proportions.", valueName: "n"))
  var maxPixels: Int?

  @Flag(help: "How the image fits the box of --thumbnail.")
  var mode: FitMode = .fit

  @Option(help: "Filter for shrinking: \(ResampleFilter.allCases.map(\.rawValue).joined(separator: ", ")).")
  var filter: ResampleFilter = .lanczos3

  @Option(help: "The part that --fill keeps: center, top, topLeft …, focus(0.3;0.7).")
  var anchor: Anchor = .center

  @Flag(help: "Shrink in linear light, not in the encoded sRGB values.")
  var linearLight = false

  @Flag(help: "Shrink JPEG faster, by up to a fifth, at some loss of quality.")
  var fast = false

  @Option(
    help: ArgumentHelp(
      "Apply a transform: resize:320x240, crop:1x1, blur:4 … May be repeated; see calotype transforms.",
      valueName: "name:args"))
  var transform: [TransformArgument] = []

  @Option(
    help: "Frames of an animation that --transform applies to: every, first (the others are dropped), none.")
  var transformFrames: TransformFrames = .every

  @Option(
    help:
      "Format to write: \(OutputFormat.list); rgba is raw pixels, auto the smallest of webp, png, jpeg and gif that suits the content. Default: by the file name, else that of the source."
  )
  var format: OutputFormat?

  @Option(
    help: ArgumentHelp(
      "Quality of lossy formats, 0 to 100; or a measured quality, for which the quality is searched: ssim2:70 (score of SSIMULACRA2), dssim:0.01.",
      valueName: "n|measure"))
  var quality: QualityArgument?

  @Option(
    help:
      "Effort to spend on a smaller file: \(EncodeOptions.Effort.allCases.map(\.rawValue).joined(separator: ", "))."
  )
  var effort: EncodeOptions.Effort?

  @Option(
    help:
      "Chroma subsampling of jpeg and avif: \(EncodeOptions.Subsampling.allCases.map(\.rawValue).joined(separator: ", "))."
  )
  var subsampling: EncodeOptions.Subsampling?

  @Option(
    help: ArgumentHelp(
      "Reduce png to a palette of at most this many colours, 2 to 256; with a measured --quality, to as few as it needs.",
      valueName: "n"))
  var colors: Int?

  @Flag(
    help:
      "Encode without loss (webp, avif, jxl). From jpeg to jxl and back, without other options, the same bytes come back."
  )
  var lossless = false

  @Option(
    help: ArgumentHelp(
      "The page of a document, such as a TIFF, counted from 0, which is the default.", valueName: "n"))
  var page: Int?

  @Option(
    help: ArgumentHelp(
      "Draw an SVG at this size, if there is no --thumbnail: a factor such as 2, or a box, 800x600.",
      valueName: "n|WxH"))
  var vectorSize: VectorSizeArgument?

  @Flag(help: "Write only the first frame of an animation.")
  var firstFrame = false

  @Flag(
    help: "Keep orientation and colours as stored: neither turned upright nor converted to sRGB.")
  var asStored = false

  @Flag(help: "Keep the colours and write their profile, instead of converting to sRGB.")
  var keepProfile = false

  @Flag(help: "Refuse damaged images. By default they are recovered as far as possible.")
  var strict = false

  func validate() throws {
    if case .fixed(let quality) = quality, !(0...100).contains(quality) {
      throw ValidationError("--quality is 0 to 100, not \(quality).")
    }
    if let maxPixels, maxPixels < 1 { throw ValidationError("--max-pixels is at least 1.") }
    if let colors, !(2...256).contains(colors) {
      throw ValidationError("--colors is 2 to 256, not \(colors).")
    }
    if let page, page < 0 { throw ValidationError("--page is at least 0.") }
    if thumbnail == nil, mode != .fit {
      throw ValidationError("--\(mode.rawValue) needs --thumbnail.")
    }
    if thumbnail == nil, anchor != .center || linearLight || fast {
      throw ValidationError("--anchor, --linear-light and --fast need --thumbnail.")
    }
    if mode != .fill, anchor != .center {
      throw ValidationError("--anchor needs --fill.")
    }
    if anchor == .entropy || anchor == .attention {
      throw ValidationError(
        "--anchor \(anchor) depends on pixels; use --transform resize:…,fill,anchor=\(anchor).")
    }
    for argument in transform {
      if case .failure(let error) = argument.parsed { throw ValidationError("--transform \(error).") }
    }
    if lossless, format?.imageFormat == .gif {
      throw ValidationError("--lossless is for webp, avif and jxl; gif cannot be lossless.")
    }
  }

  /// A Boolean value that indicates whether any option requires decoding.
  var changesPixels: Bool {
    lossless || format != nil || changesMoreThanFormat
  }

  /// A Boolean value that indicates whether an option besides those of the format requires decoding.
  var changesMoreThanFormat: Bool {
    thumbnail != nil || maxPixels != nil || quality != nil || effort != nil || subsampling != nil
      || colors != nil || asStored || page ?? 0 != 0 || firstFrame
      || vectorSize != nil
      || keepProfile || !transform.isEmpty
  }

  /// The options of the decode.
  var decoding: DecodeOptions {
    DecodeOptions(
      appliesOrientation: !asStored, damage: strict ? .strict : .tolerate, thumbnail: thumbnailRequest,
      maxPixels: maxPixels, page: page ?? 0, vectorSize: vectorSize?.value,
      colors: keepsColors ? .asStored : .sRGB,
      transforms: transforms, animationTransforms: transformFrames.value)
  }

  /// Whether the image keeps its stored colours and their profile.
  var keepsColors: Bool { asStored || keepProfile }

  /// The chain of transforms in `--transform`.
  var transforms: TransformChain { TransformChain(transform.compactMap { try? $0.parsed.get() }) }

  var thumbnailRequest: Thumbnail? {
    thumbnail.map {
      Thumbnail(
        box: $0.size, mode: mode.value, anchor: anchor, filter: filter, effort: fast ? .fast : .fine,
        linearLight: linearLight)
    }
  }

  /// Whether only the first frame of an animation is requested.
  var wantsFirstFrame: Bool { firstFrame || (!transform.isEmpty && transformFrames == .first) }

  /// Returns the number of pages that are lost without an explicit option.
  func droppedPages(of info: ImageInfo) -> Int? {
    page == nil && info.pageCount > 1 ? info.pageCount - 1 : nil
  }

  /// Returns whether all frames are written, not only the first.
  func animates(_ info: ImageInfo?, as wanted: OutputFormat?) -> Bool {
    guard let info, info.frameCount > 1, !wantsFirstFrame, wanted != .rgba else { return false }
    let format = encodeOptions(wanted, source: info.format, isAnimated: true).format
    return OutputFormat(format).holdsAnimations
  }

  /// Returns the options of the encoder.
  ///
  /// - Parameters:
  ///   - wanted: The format from the options or the file name.
  ///   - source: The format of the source, used when no other is specified.
  ///   - isAnimated: Whether there are several frames to write.
  func encodeOptions(_ wanted: OutputFormat?, source: ImageFormat?, isAnimated: Bool) -> EncodeOptions {
    let encodable = CoderRegistry.standard.encodableFormats
    var format = wanted?.imageFormat ?? source ?? .png
    // A PNG of an animated PNG is animated; of any other source it is a still image.
    if format == .png, isAnimated, source == .apng { format = .apng }
    if format == .apng, !isAnimated || !encodable.contains(.apng) { format = .png }
    // A picture that is made of an icon is no icon.
    if wanted == nil, format == .ico || !encodable.contains(format) { format = .png }
    var options = EncodeOptions(format: format, isLossless: lossless)
    if [.webp, .avif, .jxl, .automatic].contains(format) { options.quality = 80 }
    quality?.apply(to: &options)
    if let effort { options.effort = effort }
    if let subsampling { options.subsampling = subsampling }
    if let colors {
      options.usesPalette = true
      options.paletteSize = colors
    }
    if keepProfile { options.keeps = [.icc] }
    return options
  }
}

extension ResampleFilter: ExpressibleByArgument {}
extension EncodeOptions.Effort: ExpressibleByArgument {}
extension EncodeOptions.Subsampling: ExpressibleByArgument {}

extension Anchor: ExpressibleByArgument {
  /// Equivalent to ``init(_:)``.
  public init?(argument: String) { self.init(argument) }
}
