/// The limits for inflating a PNG in one call.
enum PNGInflation {
  /// The largest picture to inflate in one call, which cannot be interrupted, in bytes: 12 megapixels of RGBA, about 80
  /// ms.
  static let wholeLimit = 48 << 20
  /// The largest memory besides the canvas that inflating in one call may take, in bytes.
  static let spareLimit = 4 << 20
}
