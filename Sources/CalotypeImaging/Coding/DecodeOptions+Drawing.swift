extension DecodeOptions {
  /// Returns the size, in stored axes, of the picture of which thumbnails are made: the stored size, or the size at which
  /// a drawing (``ImageInfo/isVector``) is drawn.
  ///
  /// A drawing is drawn at the scale of the thumbnail, if there is one, also larger than its own, and otherwise at
  /// ``vectorSize``. The thumbnail then crops it, or leaves it as it is.
  public func sourceSize(of info: ImageInfo) -> PixelSize {
    guard info.isVector else { return info.size }
    let thumbnail = decodedThumbnail(for: info)
    // By the proportions of the drawing, not by sides that were rounded.
    let scaled = try? thumbnail?.geometry(for: info.size, enlarges: true).scaledSize
    return scaled ?? vectorSize?.size(of: info.size) ?? info.size
  }
}
