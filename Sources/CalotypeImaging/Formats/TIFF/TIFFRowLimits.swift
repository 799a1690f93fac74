/// The sizes at which strips are decoded row by row.
enum TIFFRowLimits {
  /// The bytes of a strip beyond which it is decoded row by row: its memory would cost more than the calls.
  static let threshold = 8 << 20
  private static let batchBytes = 256 << 10

  /// Returns the number of rows that are decoded together.
  static func batch(_ geometry: TIFFGeometry) -> Int {
    min(geometry.size.height, max(1, batchBytes / max(1, geometry.rowByteCount)))
  }
}
