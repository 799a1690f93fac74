extension Image {
  /// Returns the image after these transforms, which receive its pixels unconverted.
  ///
  /// - Throws: The errors of ``TransformChain/apply(to:)``.
  public func transformed(by transforms: TransformChain) throws(ImagingError) -> Image {
    with(bitmap: try transforms.apply(to: bitmap))
  }

  /// Returns the image at exactly this size; the proportions change if those of the size differ.
  ///
  /// The pixels become ``PixelFormat/rgba8``. ``info`` still describes the source.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a size without pixels, or of more than 400 million;
  ///   ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
  public func resized(to size: PixelSize, filter: ResampleFilter = .lanczos3) throws(ImagingError) -> Image {
    guard size.width > 0, size.height > 0 else {
      throw .invalidParameter(name: "size", reason: "\(size) has no pixels")
    }
    return with(
      bitmap: try Transforms.Resize(size, mode: .stretch, enlarges: true, filter: filter).apply(to: bitmap))
  }

  /// Returns the image at the largest size of its proportions that lies within a box. An omitted side follows from the
  /// other.
  ///
  /// - Throws: The errors of ``resized(to:filter:)``; ``ImagingError/invalidParameter(name:reason:)`` without any side.
  public func resized(
    width: Int? = nil, height: Int? = nil, filter: ResampleFilter = .lanczos3
  ) throws(ImagingError) -> Image {
    let box = PixelSize(width: width ?? 0, height: height ?? 0)
    return with(bitmap: try Transforms.Resize(box, enlarges: true, filter: filter).apply(to: bitmap))
  }
}
