/// How the bytes of a ``Bitmap`` are laid out.
public enum PixelFormat: Hashable, Sendable, CaseIterable {
  /// Four bytes a pixel: red, green, blue, alpha; alpha is straight (not premultiplied). The exchange format.
  case rgba8
  /// Eight bytes a pixel: red, green, blue, alpha as `UInt16` in the machine's byte order; alpha is straight.
  case rgba16
  /// One byte a pixel: grey.
  case gray8
  /// Four bytes a pixel: cyan, magenta, yellow, black; 255 is full ink. Only between a decoder and the conversion
  /// of colours.
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
