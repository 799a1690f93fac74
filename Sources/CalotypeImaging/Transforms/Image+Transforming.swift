extension Image {
  /// Returns the image after these transforms, which see its pixels as they are.
  ///
  /// - Throws: As ``TransformChain/apply(to:)``.
  public func transformed(by transforms: TransformChain) throws(ImagingError) -> Image {
    with(bitmap: try transforms.apply(to: bitmap))
  }
}
