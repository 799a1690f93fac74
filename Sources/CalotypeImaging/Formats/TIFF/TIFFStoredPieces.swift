/// Pieces without compression, read where they are in the file.
final class TIFFStoredPieces: TIFFPieceSource {
  private let bytes: UnsafeRawBufferPointer
  private let geometry: TIFFGeometry
  private let table: TIFFPieceTable
  /// The planes in use.
  private let planes: [Int]
  let isSwapped: Bool
  private var starts: [Int]
  private var available: [Int]

  var bandRowCount: Int { geometry.piece.height }

  init(
    _ bytes: UnsafeRawBufferPointer, _ geometry: TIFFGeometry, _ table: TIFFPieceTable, planes: [Int],
    isBigEndian: Bool
  ) {
    (self.bytes, self.geometry, self.table, self.planes) = (bytes, geometry, table, planes)
    isSwapped = isBigEndian != (1.bigEndian == 1)
    starts = Array(repeating: 0, count: geometry.across * planes.count)
    available = Array(repeating: 0, count: geometry.across)
  }

  func load(band: Int, column: Int, rowCount: Int) -> ImagingError? {
    var rows = rowCount
    for (place, plane) in planes.enumerated() {
      let piece = geometry.index(band: band, column: column, plane: plane)
      guard let start = table.start(of: piece) else {
        rows = 0
        continue
      }
      starts[column * planes.count + place] = start
      rows = min(rows, (bytes.count - start) / geometry.rowByteCount)
    }
    available[column] = rows
    return rows < rowCount ? .truncated(.tiff, byteCount: bytes.count) : nil
  }

  func availableRowCount(column: Int) -> Int { available[column] }

  private func offset(_ row: Int, _ column: Int, _ plane: Int) -> Int {
    starts[column * planes.count + plane] + row * geometry.rowByteCount
  }

  func row(_ row: Int, column: Int, plane: Int) -> UnsafePointer<UInt8> {
    // Rows are only asked for where there are some.
    bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self) + offset(row, column, plane)
  }

  func readableCount(behind row: Int, column: Int) -> Int {
    bytes.count - offset(row, column, 0) - geometry.rowByteCount
  }
}
