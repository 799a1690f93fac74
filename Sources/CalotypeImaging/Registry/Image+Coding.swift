public import FoundationEssentials

extension Image {
  /// Encodes the image with the standard coders.
  public func encoded(as options: EncodeOptions) throws(ImagingError) -> Data {
    try CoderRegistry.standard.encode(self, as: options)
  }
}
