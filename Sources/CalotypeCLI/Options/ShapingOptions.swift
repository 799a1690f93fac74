public import ArgumentParser
public import Calotype

/// Options of the pixels that commands make of an image, before they are written.
struct ShapingOptions: ParsableArguments {
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
    help: ArgumentHelp(
      "The page of a document, such as a TIFF, counted from 0, which is the default.", valueName: "n"))
  var page: Int?

  @Option(
    help: ArgumentHelp(
      "Draw an SVG at this size, if there is no --thumbnail: a factor such as 2, or a box, 800x600.",
      valueName: "n|WxH"))
  var vectorSize: VectorSizeArgument?

  @Flag(
    help: "Keep orientation and colours as stored: neither turned upright nor converted to sRGB.")
  var asStored = false

  @Flag(help: "Keep the colours and write their profile, instead of converting to sRGB.")
  var keepProfile = false

  @Flag(help: "Refuse damaged images. By default they are recovered as far as possible.")
  var strict = false

  func validate() throws {
    if let maxPixels, maxPixels < 1 { throw ValidationError("--max-pixels is at least 1.") }
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
  }
}

extension ResampleFilter: ExpressibleByArgument {}

extension Anchor: ExpressibleByArgument {
  /// Equivalent to ``init(_:)``.
  public init?(argument: String) { self.init(argument) }
}
