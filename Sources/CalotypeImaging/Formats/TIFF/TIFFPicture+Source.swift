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

    /// Checks that the strips and tiles are in the file: all of them, or at least one if missing ones are accepted.
    ///
    /// - Throws: ``ImagingError/truncated(_:byteCount:)``.
    func checkPieces(
      _ bytes: UnsafeRawBufferPointer, options: DecodeOptions, _ watch: DecodeLimits.DeadlineChecker
    ) throws(ImagingError) {
      let table = TIFFPieceTable(directory, bytes, in: file, isTiled: geometry.isTiled)
      let isStored = access == .stored
      let pieceByteCount = geometry.pieceByteCount
      for plane in usedPlanes {
        for band in 0..<geometry.down {
          if band & 0xFFF == 0 { try watch.check() }
          for column in 0..<geometry.across {
            let piece = geometry.index(band: band, column: column, plane: plane)
            let rows =
              geometry.isTiled || band + 1 < geometry.down
              ? geometry.piece.height : geometry.size.height - band * geometry.piece.height
            let needed = rows == geometry.piece.height ? pieceByteCount : rows * geometry.rowByteCount
            let isThere =
              isStored
              ? table.start(of: piece).map { bytes.count - $0 >= needed } ?? false
              : table.range(of: piece) != nil
            if options.keepsPartial {
              if isThere { return }
            } else if !isThere {
              throw .truncated(.tiff, byteCount: bytes.count)
            }
          }
        }
      }
      guard options.keepsPartial else { return }
      // Rows of a strip without compression may be there, although no strip is whole.
      if isStored { return }
      throw .truncated(.tiff, byteCount: bytes.count)
    }
  }
#endif
