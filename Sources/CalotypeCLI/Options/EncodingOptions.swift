public import ArgumentParser
public import Calotype

/// Options of the files that commands write.
struct EncodingOptions: ParsableArguments {
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

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "A setting of the format: loss and frameTolerance of gif, depth of avif, sizes of ico, channels of qoi, and those of libwebp for webp. Repeatable.",
      valueName: "name=value"))
  var settings: [SettingArgument] = []

  @Flag(
    help:
      "Encode without loss (webp, avif, jxl). From jpeg to jxl and back, without other options, the same bytes come back."
  )
  var lossless = false

  @Flag(help: "Write only the first frame of an animation.")
  var firstFrame = false

  func validate() throws {
    if case .fixed(let quality) = quality, !(0...100).contains(quality) {
      throw ValidationError("--quality is 0 to 100, not \(quality).")
    }
    if case .refused(let reason) = quality { throw ValidationError("--quality: \(reason).") }
    if let colors, !(2...256).contains(colors) {
      throw ValidationError("--colors is 2 to 256, not \(colors).")
    }
    let names = SettingArgument.names
    for setting in settings where !names.contains(where: { $0.value.contains(setting.name) }) {
      let all = names.map { "\($0.key): \($0.value.joined(separator: ", "))" }
      throw ValidationError("--set: no format has a setting \(setting.name). \(all.joined(separator: "; ")).")
    }
    if lossless, format?.imageFormat == .gif {
      throw ValidationError("--lossless is for webp, avif and jxl; gif cannot be lossless.")
    }
  }

  /// Whether any option is given.
  var isGiven: Bool {
    format != nil || quality != nil || effort != nil || subsampling != nil || colors != nil || lossless
      || firstFrame || !settings.isEmpty
  }
}

extension EncodeOptions.Effort: ExpressibleByArgument {}
extension EncodeOptions.Subsampling: ExpressibleByArgument {}
