/// A directory whose pixels can be decoded: a page, or a smaller version of it.
struct TIFFPicture {
  let file: TIFFFile
  let directory: TIFFDirectory
  let coding: TIFFCoding
  let pixels: TIFFPixels
  let geometry: TIFFGeometry
  /// The colours of indices.
  let colors: [UInt32]?

  /// Reads how the samples of a directory are stored.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)``, ``ImagingError/corrupt(_:reason:offset:)``.
  init(_ directory: TIFFDirectory, _ bytes: RawSpan, in file: TIFFFile) throws(ImagingError) {
    (self.file, self.directory) = (file, directory)
    coding = try TIFFCoding(directory, bytes, in: file)
    pixels = try TIFFPixels(directory, coding)
    geometry = TIFFGeometry(
      directory, isPlanar: coding.isPlanar, bitsPerPixel: pixels.bitsPerPixel(isPlanar: coding.isPlanar))
    colors = try TIFFColorTable.make(pixels, directory, bytes, in: file)
  }

  /// The planes with colours or alpha.
  var usedPlanes: [Int] { coding.isPlanar ? pixels.usedSamples : [0] }

  /// The way to the samples.
  enum Access {
    /// They are in the file as they are.
    case stored
    case wholePieces
    /// Rows of large strips.
    case rows
    /// The library makes colours.
    case colors
  }

  var access: Access {
    if pixels.maker == .library { return .colors }
    if coding.compression == .none, !coding.isReversed { return .stored }
    let isLarge = geometry.pieceByteCount > TIFFRowLimits.threshold
    return isLarge && !geometry.isTiled && !coding.isPlanar ? .rows : .wholePieces
  }

  /// Bytes of the decoded pieces in memory at a time.
  var bandByteCount: Int {
    switch access {
    case .stored: 0
    case .rows: TIFFGeometry.product(TIFFRowLimits.batch(geometry), geometry.rowByteCount)
    case .wholePieces:
      TIFFGeometry.product(geometry.pieceByteCount, TIFFGeometry.product(geometry.across, usedPlanes.count))
    // The library holds the samples of a piece besides.
    case .colors: TIFFGeometry.product(geometry.piece.byteCount, geometry.across + 1)
    }
  }
}
