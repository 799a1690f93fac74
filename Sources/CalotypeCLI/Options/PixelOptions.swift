import ArgumentParser
import Calotype

/// Options of all commands that write pixels.
@dynamicMemberLookup
struct PixelOptions: ParsableArguments {
  @OptionGroup var shaping: ShapingOptions
  @OptionGroup var encoding: EncodingOptions

  subscript<Value>(dynamicMember path: KeyPath<ShapingOptions, Value>) -> Value { shaping[keyPath: path] }
  subscript<Value>(dynamicMember path: KeyPath<EncodingOptions, Value>) -> Value { encoding[keyPath: path] }

  /// A Boolean value that indicates whether any option requires decoding.
  var changesPixels: Bool {
    encoding.lossless || encoding.format != nil || changesMoreThanFormat
  }

  /// A Boolean value that indicates whether an option besides those of the format requires decoding.
  var changesMoreThanFormat: Bool {
    shaping.thumbnail != nil || shaping.maxPixels != nil || encoding.quality != nil || encoding.effort != nil
      || encoding.subsampling != nil || !encoding.settings.isEmpty
      || encoding.colors != nil || shaping.asStored || shaping.page ?? 0 != 0 || encoding.firstFrame
      || shaping.vectorSize != nil
      || shaping.keepProfile || !shaping.transform.isEmpty
  }

  /// The options of the decode.
  var decoding: DecodeOptions {
    DecodeOptions(
      appliesOrientation: !shaping.asStored, damage: shaping.strict ? .strict : .tolerate,
      thumbnail: thumbnailRequest,
      maxPixels: shaping.maxPixels, page: shaping.page ?? 0, vectorSize: shaping.vectorSize?.value,
      colors: keepsColors ? .asStored : .sRGB,
      transforms: transforms, animationTransforms: shaping.transformFrames.value)
  }

  /// Whether the image keeps its stored colours and their profile.
  var keepsColors: Bool { shaping.asStored || shaping.keepProfile }

  /// The chain of transforms in `--transform`.
  var transforms: TransformChain { TransformChain(shaping.transform.compactMap { try? $0.parsed.get() }) }

  var thumbnailRequest: Thumbnail? {
    shaping.thumbnail.map {
      Thumbnail(
        box: $0.size, mode: shaping.mode.value, anchor: shaping.anchor, filter: shaping.filter,
        effort: shaping.fast ? .fast : .fine,
        linearLight: shaping.linearLight)
    }
  }

  /// Whether only the first frame of an animation is requested.
  var wantsFirstFrame: Bool {
    encoding.firstFrame || (!shaping.transform.isEmpty && shaping.transformFrames == .first)
  }

  /// Returns the number of pages that are lost without an explicit option.
  func droppedPages(of info: ImageInfo) -> Int? {
    shaping.page == nil && info.pageCount > 1 ? info.pageCount - 1 : nil
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
    var options = EncodeOptions(format: format, isLossless: encoding.lossless)
    if [.webp, .avif, .jxl, .automatic].contains(format) { options.quality = 80 }
    encoding.quality?.apply(to: &options)
    if let effort = encoding.effort { options.effort = effort }
    if let subsampling = encoding.subsampling { options.subsampling = subsampling }
    if let colors = encoding.colors {
      options.usesPalette = true
      options.paletteSize = colors
    }
    if shaping.keepProfile { options.keeps = [.icc] }
    let names = SettingArgument.names(for: format)
    for setting in encoding.settings where names.contains(setting.name) {
      options.extras[setting.name] = setting.value
    }
    return options
  }

  /// Throws if a setting is none of the format's; `nil` for raw pixels.
  ///
  /// - Throws: `invalidParameter`.
  func checkSettings(of format: ImageFormat?) throws(ImagingError) {
    let names = format.map { SettingArgument.names(for: $0) } ?? []
    for setting in encoding.settings where !names.contains(setting.name) {
      let theirs = names.isEmpty ? "none" : names.joined(separator: ", ")
      throw .invalidParameter(
        name: setting.name, reason: "no setting of \(format?.rawValue ?? "rgba"), which has \(theirs)")
    }
  }
}
