extension Image {
  /// Returns the image with other pixels.
  func with(bitmap: Bitmap) -> Image {
    Image(
      bitmap: bitmap, info: info, orientation: orientation, isPartial: isPartial, profile: profile,
      metadata: metadata)
  }

  /// Returns the image with its orientation applied to the pixels.
  func upright() throws(ImagingError) -> Image {
    guard orientation != .topLeft else { return self }
    return Image(
      bitmap: try bitmap.oriented(orientation), info: info, isPartial: isPartial, profile: profile,
      metadata: metadata)
  }

  /// Returns the image upright and shrunk to a thumbnail. Blocks; call it off the cooperative pool.
  package func shrunk(to thumbnail: Thumbnail) throws(ImagingError) -> Image {
    try with(bitmap: try bitmap.shrunk(to: thumbnail, sourceSize: size, orientation: orientation)).upright()
  }
}
