public import ArgumentParser
public import Calotype

/// Options of all commands that make pixels.
struct PixelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Shrink to a box of W×H pixels; never enlarges. One side may be left out: 320x, x240.",
      valueName: "WxH"))
  var thumbnail: Box?

  @Flag(help: "How the picture meets the box of --thumbnail.")
  var mode: Mode = .fit

  @Option(help: "Filter for shrinking: \(ResampleFilter.allCases.map(\.rawValue).joined(separator: ", ")).")
  var filter: ResampleFilter = .lanczos3

  @Option(
    help: "Format to write: jpeg, png, webp, or rgba for raw pixels. Default: by file name, else as loaded.")
  var format: OutputFormat?

  @Option(help: "Quality for lossy formats, 0 to 100.")
  var quality: Int?

  @Flag(help: "Keep every pixel exactly (webp).")
  var lossless = false

  @Flag(help: "Only the first frame of an animation.")
  var firstFrame = false

  @Flag(help: "Leave the picture as it is stored: do not turn it upright.")
  var asStored = false

  func validate() throws {
    if let quality, !(0...100).contains(quality) {
      throw ValidationError("--quality is 0 to 100, not \(quality).")
    }
    if thumbnail == nil, mode != .fit {
      throw ValidationError("--\(mode.rawValue) says how to meet the box of --thumbnail, which is missing.")
    }
    if lossless, let format, format != .webp, format != .png {
      throw ValidationError("--lossless is for webp; \(format.rawValue) cannot be lossless.")
    }
  }

  /// Whether anything is asked for that needs decoding.
  var changesPixels: Bool {
    thumbnail != nil || format != nil || quality != nil || lossless || asStored || firstFrame
  }

  var thumbnailRequest: Thumbnail? {
    thumbnail.map { Thumbnail(box: $0.size, mode: mode.value, filter: filter) }
  }

  /// What to write for a picture that came in `source` format, when neither option nor name says more.
  func encodeOptions(for source: ImageFormat?) -> EncodeOptions {
    let format: ImageFormat =
      switch source {
      case .jpeg: .jpeg
      case .webp: .webp
      default: .png
      }
    return encodeOptions(as: format)
  }

  func encodeOptions(as format: ImageFormat) -> EncodeOptions {
    var options: EncodeOptions =
      switch format {
      case .jpeg: .jpeg()
      case .webp: lossless ? .webpLossless : .webp()
      default: EncodeOptions(format: format)
      }
    if let quality { options.quality = quality }
    return options
  }
}

/// A box such as `320x240`, `320x` or `x240`.
struct Box: ExpressibleByArgument {
  let size: PixelSize

  init?(argument: String) {
    let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }
    // A side that is left out is free; one that is given has at least one pixel.
    func side(_ text: Substring) -> Int? {
      if text.isEmpty { return 0 }
      guard let value = Int(text), (1...1_000_000).contains(value) else { return nil }
      return value
    }
    guard let width = side(sides[0]), let height = side(sides[1]), width + height > 0 else { return nil }
    size = PixelSize(width: width, height: height)
  }
}

enum Mode: String, EnumerableFlag {
  case fit
  case fill
  case stretch

  var value: Thumbnail.Mode {
    switch self {
    case .fit: .fit
    case .fill: .fill
    case .stretch: .stretch
    }
  }

  static func help(for value: Mode) -> ArgumentHelp? {
    switch value {
    case .fit: "Within the box, proportions kept."
    case .fill: "Fill the box, proportions kept, what sticks out cut off."
    case .stretch: "Exactly the box, proportions changed."
    }
  }
}

enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case jpeg
  case png
  case webp
  case rgba

  init?(argument: String) {
    self.init(rawValue: argument == "jpg" ? "jpeg" : argument.lowercased())
  }

  /// The format that a file name asks for.
  init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: ".") else { return nil }
    self.init(argument: String(fileName[fileName.index(after: dot)...]))
  }

  /// `nil` for raw pixels.
  var imageFormat: ImageFormat? {
    switch self {
    case .jpeg: .jpeg
    case .png: .png
    case .webp: .webp
    case .rgba: nil
    }
  }
}

extension ResampleFilter: ExpressibleByArgument {}
