#if TIFF
/// Rows of strips that are too large to be decoded as a whole.
final class TIFFRows: TIFFPieceSource {
  private let handle: TIFFHandle
  private let geometry: TIFFGeometry
  private let table: TIFFPieceTable
  private let buffer: TIFFBandBuffer
  private let byteCount: Int
  private var available = 0
  /// The last strip that could not be decoded to its end, and the reason.
  private var broken: (strip: Int, failure: ImagingError)?

  let bandRowCount: Int
  var isSwapped: Bool { false }

  init(
    _ handle: TIFFHandle, _ geometry: TIFFGeometry, _ table: TIFFPieceTable, byteCount: Int
  ) throws(ImagingError) {
    (self.handle, self.geometry, self.table, self.byteCount) = (handle, geometry, table, byteCount)
    bandRowCount = TIFFRowLimits.batch(geometry)
    guard handle.rowByteCount == geometry.rowByteCount else {
      throw .corrupt(.tiff, reason: "the rows have two lengths", offset: nil)
    }
    buffer = try TIFFBandBuffer(
      pieceByteCount: TIFFGeometry.product(bandRowCount, geometry.rowByteCount), count: 1)
  }

  func load(band: Int, column: Int, rowCount: Int) -> ImagingError? {
    available = 0
    var flaw: ImagingError?
    for local in 0..<rowCount {
      let row = band * bandRowCount + local
      let strip = row / geometry.piece.height
      if let broken, broken.strip == strip { return broken.failure }
      guard table.range(of: strip) != nil else { return .truncated(.tiff, byteCount: byteCount) }
      let start = buffer.address(piece: 0, offset: local * geometry.rowByteCount)
      switch handle.readRow(row, plane: 0, into: start) {
      case .complete(let met): flaw = flaw ?? met
      case .failed(let failure):
        broken = (strip, failure)
        return failure
      }
      available += 1
    }
    return flaw
  }

  func availableRowCount(column: Int) -> Int { available }

  func row(_ row: Int, column: Int, plane: Int) -> UnsafePointer<UInt8> {
    UnsafePointer(
      buffer.address(piece: 0, offset: row * geometry.rowByteCount).assumingMemoryBound(to: UInt8.self))
  }

  func readableCount(behind row: Int, column: Int) -> Int { TIFFConverter.overrun }
}
#endif
