/// A source of decoded strips or tiles, of one band at a time.
protocol TIFFPieceSource: AnyObject {
  /// The rows of a band.
  var bandRowCount: Int { get }
  /// A Boolean value that indicates whether samples of 16 bits are in the other byte order.
  var isSwapped: Bool { get }

  /// Decodes the pieces of a column, of all planes in use.
  ///
  /// - Returns: The reason why rows are missing, or were recovered; `nil` if they are sound.
  func load(band: Int, column: Int, rowCount: Int) -> ImagingError?

  /// The number of rows that have been decoded, of the loaded band.
  func availableRowCount(column: Int) -> Int

  /// Returns a row of the loaded band, of one of the planes in use.
  func row(_ row: Int, column: Int, plane: Int) -> UnsafePointer<UInt8>

  /// Returns the number of bytes behind a row that may be read.
  func readableCount(behind row: Int, column: Int) -> Int
}
