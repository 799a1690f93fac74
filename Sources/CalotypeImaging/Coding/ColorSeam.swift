// Until the conversion of colours is merged.
extension Image {
  func convertedToSRGB() throws(ImagingError) -> Image { self }
}

extension Bitmap {
  func asRGBA8() throws(ImagingError) -> Bitmap { self }
}
