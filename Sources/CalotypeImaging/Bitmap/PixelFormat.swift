/// The layout of the bytes of a ``Bitmap``.
public enum PixelFormat: Hashable, Sendable, CaseIterable {
  /// Four bytes per pixel: red, green, blue, alpha; alpha is straight (not premultiplied). The exchange format.
  case rgba8
  /// Eight bytes per pixel: red, green, blue, alpha as `UInt16` in the machine's byte order; alpha is straight.
  case rgba16
  /// One byte per pixel: grey.
  case gray8
  /// Four bytes per pixel: cyan, magenta, yellow, black; 255 is full ink. Only used between a decoder and colour
  /// conversion.
  case cmyk8

  /// Bytes per pixel.
  public var bytesPerPixel: Int {
    switch self {
    case .rgba8, .cmyk8: 4
    case .rgba16: 8
    case .gray8: 1
    }
  }
}
