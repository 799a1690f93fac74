import FoundationEssentials

extension WebPStructure {
  /// Returns the information in the chunks.
  func info(of file: UnsafeRawBufferPointer) -> ImageInfo {
    let isAnimation = frames.count > 1
    var info = ImageInfo(
      format: .webp, size: canvas, frameCount: frames.count, loopCount: isAnimation ? plays : 1,
      durations: isAnimation ? frames.map { .milliseconds($0.duration) } : [], hasAlpha: hasAlpha)
    if let exif = payload(exif, of: file), let orientation = Exif.orientation(in: exif) {
      info.orientation = orientation
    }
    if let colorProfile = payload(colorProfile, of: file) {
      info.colorProfile = ICCProfile.description(of: colorProfile)
    }
    info.layout = ImageInfo.Layout(self)
    return info
  }

  /// Returns an image of this file, with its profile, and its metadata if the options request them.
  func image(
    _ bitmap: Bitmap, of file: UnsafeRawBufferPointer, isPartial: Bool, options: DecodeOptions
  ) -> Image {
    let info = info(of: file)
    return Image(
      bitmap: bitmap, info: info, orientation: info.orientation, isPartial: isPartial,
      profile: profile(of: file), metadata: options.readsMetadata ? metadata(of: file) : ImageMetadata())
  }

  /// Returns Exif and XMP, as far as they are there.
  func metadata(of file: UnsafeRawBufferPointer) -> ImageMetadata {
    // Some writers copy the prefix that JPEG requires.
    let exif = payload(exif, of: file).map {
      $0.starts(with: Array("Exif\0\0".utf8)) ? Data($0.dropFirst(6)) : $0
    }
    return ImageMetadata(exif: exif, xmp: payload(xmp, of: file))
  }

  /// Returns the colour profile.
  func profile(of file: UnsafeRawBufferPointer) -> ColorProfile? {
    payload(colorProfile, of: file).map { .icc($0) }
  }

  /// Returns the bytes of a complete chunk.
  private func payload(_ range: Range<Int>?, of file: UnsafeRawBufferPointer) -> Data? {
    guard let range, range.upperBound <= file.count else { return nil }
    return Data(file[range])
  }
}
