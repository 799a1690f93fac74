#if TIFF
extension TIFFPicture {
  /// Returns a source of the decoded pieces.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)``, ``ImagingError/corrupt(_:reason:offset:)``,
  ///   ``ImagingError/outOfMemory(byteCount:)``.
  func makeSource(_ bytes: UnsafeRawBufferPointer) throws(ImagingError) -> any TIFFPieceSource {
    let table = TIFFPieceTable(directory, bytes, in: file, isTiled: geometry.isTiled)
    if access == .stored {
      return TIFFStoredPieces(
        bytes, geometry, table, planes: usedPlanes, isBigEndian: file.isBigEndian)
    }
    let handle = try TIFFHandle(bytes, directory, coding, geometry, makesColors: access == .colors)
    switch access {
    case .colors: return try TIFFColors(handle, geometry, table, byteCount: bytes.count)
    case .rows: return try TIFFRows(handle, geometry, table, byteCount: bytes.count)
    case .stored, .wholePieces:
      return try TIFFWholePieces(handle, geometry, table, planes: usedPlanes, byteCount: bytes.count)
    }
  }

  /// Looks for the strips and tiles in the file.
  ///
  /// - Returns: True if all of them are there.
  /// - Throws: ``ImagingError/truncated(_:byteCount:)`` if some are missing, unless the options accept that and others
  ///   are there.
  func checkPieces(
    _ bytes: UnsafeRawBufferPointer, options: DecodeOptions, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let table = TIFFPieceTable(directory, bytes, in: file, isTiled: geometry.isTiled)
    let isStored = access == .stored
    // Rows of a strip without compression may be there, although no strip is whole.
    var (isAny, isEach) = (isStored, true)
    for plane in usedPlanes {
      for band in 0..<geometry.down {
        if band & 0xFFF == 0 { try watch.check() }
        let rows = min(geometry.piece.height, geometry.size.height - band * geometry.piece.height)
        let needed = TIFFGeometry.product(rows, geometry.rowByteCount)
        for column in 0..<geometry.across {
          let piece = geometry.index(band: band, column: column, plane: plane)
          let isThere =
            isStored
            ? table.start(of: piece).map { bytes.count - $0 >= needed } ?? false
            : table.range(of: piece) != nil
          if isThere { isAny = true } else { isEach = false }
        }
      }
    }
    guard isEach || isAny && options.keepsPartial else { throw .truncated(.tiff, byteCount: bytes.count) }
    return isEach
  }
}
#endif
