extension DecodeOptions {
  /// Returns the bytes of pixels that a decode with these options holds at its end, before transforms: the result, and
  /// the whole picture besides if the format can only be shrunk as a whole.
  package func outputByteCount(for info: ImageInfo) -> Int {
    let source = sourceSize(of: info)
    let (whole, overflow) = source.pixelCount.multipliedReportingOverflow(by: bytesPerPixel(of: info))
    guard !overflow else { return .max }
    let uprightSize = appliesOrientation ? info.orientation.apply(to: source) : source
    guard let thumbnail = decodedThumbnail(for: info),
      let size = try? thumbnail.geometry(for: uprightSize).size
    else { return whole }
    switch info.format {
    case .jpeg, .png, .avif, .heif, .svg: return size.byteCount
    case .bmp where info.layout.isKnown && !info.layout.needsCanvas,
      .qoi where info.layout.isKnown, .tiff where info.layout.isKnown:
      return size.byteCount
    default:
      let (sum, overflow) = whole.addingReportingOverflow(size.byteCount)
      return overflow ? .max : sum
    }
  }

  /// Returns the size of the image, before transforms: upright, unless the options keep the stored orientation.
  package func outputSize(for info: ImageInfo) -> PixelSize {
    let source = sourceSize(of: info)
    let upright = appliesOrientation ? info.orientation.apply(to: source) : source
    guard let size = try? decodedThumbnail(for: info)?.geometry(for: upright).size else { return upright }
    return size
  }

  /// Returns the bytes of each decoded pixel, at most.
  func bytesPerPixel(of info: ImageInfo) -> Int {
    (pixels == .native || mapsTones(of: info.dynamicRange)) && info.bitDepth > 8 ? 8 : 4
  }
}

extension PixelSize {
  /// Bytes of a picture of this size in ``PixelFormat/rgba8``; `Int.max` if the number overflows.
  package var byteCount: Int {
    let (product, overflow) = pixelCount.multipliedReportingOverflow(by: 4)
    return overflow ? .max : product
  }
}
