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
}
