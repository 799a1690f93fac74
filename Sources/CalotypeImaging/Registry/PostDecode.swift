/// The steps after a coder: resampling, conversion to sRGB, rotation, transforms, according to the options.
///
/// Whole decodes, incremental decodes and frames of animations share it, so that their results agree.
struct PostDecode: Sendable {
  let info: ImageInfo
  let options: DecodeOptions
  /// A Boolean value that indicates whether all but the transforms has been done: by a ``DelegatedDecoder``.
  var isDelegated = false

  /// Returns the picture according to the options. Pass true for `isShrunk` if it already has the size of the
  /// thumbnail.
  func finished(_ image: Image, isShrunk: Bool = false) throws(ImagingError) -> Image {
    var image = image
    if isDelegated { return try transformed(image) }
    if let thumbnail = options.decodedThumbnail(for: info), !isShrunk {
      if thumbnail.needsSRGB(image.profile, image.bitmap.format, options) {
        image = try inSRGB(image)
      }
      // The box refers to the result: it is upright, unless the picture stays as stored.
      let orientation = options.appliesOrientation ? image.orientation : .topLeft
      image = image.with(
        bitmap: try image.bitmap.shrunk(
          to: thumbnail, sourceSize: options.sourceSize(of: info), orientation: orientation))
    }
    if options.converts(image.profile) { image = try inSRGB(image, keepsGray: options.pixels == .native) }
    if options.pixels == .rgba8, image.bitmap.format != .rgba8 {
      image = image.with(bitmap: try image.bitmap.converted(to: .rgba8))
    }
    if options.appliesOrientation { image = try image.upright() }
    return try transformed(image)
  }

  private func transformed(_ image: Image) throws(ImagingError) -> Image {
    let transforms = options.transforms(for: info)
    return transforms.isEmpty ? image : image.with(bitmap: try transforms.apply(to: image.bitmap))
  }

  /// Returns the picture in sRGB. Mapped tones of 16 bits are rounded at once if no more than 8 are requested.
  private func inSRGB(_ image: Image, keepsGray: Bool = true) throws(ImagingError) -> Image {
    guard options.pixels == .rgba8, image.bitmap.format == .rgba16, case .cicp(let points) = image.profile
    else {
      return try image.convertedToSRGB(keepsGray: keepsGray, limits: options.limits)
    }
    return image.inSRGB(try image.bitmap.rounded(from: points, limits: options.limits))
  }
}
