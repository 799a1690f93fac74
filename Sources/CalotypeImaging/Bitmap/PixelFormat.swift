/// How the bytes of a ``Bitmap`` are laid out.
public enum PixelFormat: Hashable, Sendable {
  /// Four bytes a pixel: red, green, blue, alpha; alpha is straight (not premultiplied).
  case rgba8

  /// Bytes per pixel.
  public var bytesPerPixel: Int {
    switch self {
    case .rgba8: 4
    }
  }
}
