#if TIFF
/// Strips and tiles that libtiff decodes as a whole.
///
/// Of a damaged strip the rows before the damage are recovered.
final class TIFFWholePieces: TIFFPieceSource {
  private let handle: TIFFHandle
  private let geometry: TIFFGeometry
  private let table: TIFFPieceTable
  private let planes: [Int]
  private let buffer: TIFFBandBuffer
  private let byteCount: Int
  private var available: [Int]

  var bandRowCount: Int { geometry.piece.height }
  var isSwapped: Bool { false }

  init(
    _ handle: TIFFHandle, _ geometry: TIFFGeometry, _ table: TIFFPieceTable, planes: [Int], byteCount: Int
  ) throws(ImagingError) {
    (self.handle, self.geometry, self.table, self.planes) = (handle, geometry, table, planes)
    self.byteCount = byteCount
    buffer = try TIFFBandBuffer(
      pieceByteCount: geometry.pieceByteCount, count: TIFFGeometry.product(geometry.across, planes.count))
    available = Array(repeating: 0, count: geometry.across)
  }

  func load(band: Int, column: Int, rowCount: Int) -> ImagingError? {
    var rows = rowCount
    var flaw: ImagingError?
    for (place, plane) in planes.enumerated() where rows > 0 {
      let piece = geometry.index(band: band, column: column, plane: plane)
      guard table.range(of: piece) != nil else {
        rows = 0
        flaw = .truncated(.tiff, byteCount: byteCount)
        break
      }
      var target = buffer.piece(column * planes.count + place)
      if !geometry.isTiled {
        target = UnsafeMutableRawBufferPointer(rebasing: target[..<(rowCount * geometry.rowByteCount)])
      }
      switch handle.read(piece, into: target) {
      case .complete(let met): flaw = flaw ?? met
      case .failed(let failure):
        flaw = failure
        rows = min(rows, geometry.isTiled ? 0 : recover(band, plane, rowCount, into: target))
      }
    }
    available[column] = rows
    return flaw
  }

  /// Decodes rows until the damage; returns their number.
  private func recover(
    _ band: Int, _ plane: Int, _ rowCount: Int, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    guard handle.rowByteCount == geometry.rowByteCount, let base = target.baseAddress,
      (try? handle.restart()) != nil
    else { return 0 }
    for row in 0..<rowCount {
      let start = base + row * geometry.rowByteCount
      guard case .complete(nil) = handle.readRow(band * bandRowCount + row, plane: plane, into: start)
      else {
        return row
      }
    }
    return rowCount
  }

  func availableRowCount(column: Int) -> Int { available[column] }

  func row(_ row: Int, column: Int, plane: Int) -> UnsafePointer<UInt8> {
    UnsafePointer(
      buffer.address(piece: column * planes.count + plane, offset: row * geometry.rowByteCount)
        .assumingMemoryBound(to: UInt8.self))
  }

  func readableCount(behind row: Int, column: Int) -> Int { TIFFConverter.overrun }
}
#endif
