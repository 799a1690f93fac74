#if TIFF
/// Strips and tiles whose colours libtiff makes: YCbCr that is not JPEG, and Lab.
final class TIFFColors: TIFFPieceSource {
  private let handle: TIFFHandle
  private let geometry: TIFFGeometry
  private let table: TIFFPieceTable
  private let buffer: TIFFBandBuffer
  private let byteCount: Int
  private var available: [Int]
  /// The rows from the bottom of a piece to its top.
  private var rowCount = 0

  var bandRowCount: Int { geometry.piece.height }
  var isSwapped: Bool { false }

  init(
    _ handle: TIFFHandle, _ geometry: TIFFGeometry, _ table: TIFFPieceTable, byteCount: Int
  ) throws(ImagingError) {
    (self.handle, self.geometry, self.table, self.byteCount) = (handle, geometry, table, byteCount)
    buffer = try TIFFBandBuffer(
      pieceByteCount: geometry.piece.byteCount, count: geometry.across)
    available = Array(repeating: 0, count: geometry.across)
  }

  func load(band: Int, column: Int, rowCount: Int) -> ImagingError? {
    available[column] = 0
    self.rowCount = geometry.isTiled ? geometry.piece.height : rowCount
    guard table.range(of: geometry.index(band: band, column: column, plane: 0)) != nil else {
      return .truncated(.tiff, byteCount: byteCount)
    }
    let raster = buffer.address(piece: column, offset: 0).assumingMemoryBound(to: UInt32.self)
    switch handle.readColors(x: column * geometry.piece.width, y: band * bandRowCount, into: raster) {
    case .complete(let flaw):
      available[column] = rowCount
      return flaw
    case .failed(let failure): return failure
    }
  }

  func availableRowCount(column: Int) -> Int { available[column] }

  func row(_ row: Int, column: Int, plane: Int) -> UnsafePointer<UInt8> {
    UnsafePointer(
      buffer.address(piece: column, offset: 4 * geometry.piece.width * (rowCount - 1 - row))
        .assumingMemoryBound(to: UInt8.self))
  }

  func readableCount(behind row: Int, column: Int) -> Int { TIFFConverter.overrun }
}
#endif
