/// The limits up to which a PNG is inflated at once.
enum PNGInflation {
  /// Bytes that a picture may inflate to at once, which nothing can interrupt: 12 megapixels of RGBA, about 80 ms.
  static let wholeLimit = 48 << 20
  /// Bytes beside the canvas that inflating at once may take.
  static let spareLimit = 4 << 20
}
