// Seam: the resampling room brings both functions; this file goes when it is merged.
extension Thumbnail {
  func minimumDecodeSize(sourceSize: PixelSize, orientation: Orientation) throws(ImagingError) -> PixelSize? {
    throw .invalidParameter(name: "thumbnail", reason: "this build has no resampling")
  }
}

extension Bitmap {
  func shrunk(
    to thumbnail: Thumbnail, sourceSize: PixelSize, orientation: Orientation
  ) throws(ImagingError) -> Bitmap {
    throw .invalidParameter(name: "thumbnail", reason: "this build has no resampling")
  }
}
