#if TIFF
import Glibc

/// A reader of the rows of a directory, band by band: a strip, a row of tiles, or some rows of a large strip.
///
/// Bands are loaded in order, each once; what cannot be decoded is transparent.
final class TIFFBandReader {
  private let picture: TIFFPicture
  private let bytes: UnsafeRawBufferPointer
  private let source: any TIFFPieceSource
  private let converter: TIFFConverter
  private let bytesPerPixel: Int
  /// The rows of a band.
  let bandRowCount: Int
  /// The number of bands.
  let bandCount: Int
  private var band = 0
  private let rows: UnsafeMutablePointer<UnsafePointer<UInt8>>

  /// The first error that was met, of each kind.
  private(set) var failures: [ImagingError] = []
  /// The number of rows of pieces that were decoded.
  private(set) var decodedRowCount = 0
  /// A Boolean value that indicates whether any pixel is missing.
  private(set) var lacksPixels = false

  /// - Parameters:
  ///   - picture: The directory to read.
  ///   - bytes: The file, which has to stay where it is.
  ///   - format: The format of the pixels.
  init(_ picture: TIFFPicture, _ bytes: UnsafeRawBufferPointer, format: PixelFormat) throws(ImagingError) {
    (self.picture, self.bytes) = (picture, bytes)
    bytesPerPixel = format.bytesPerPixel
    let source = try picture.makeSource(bytes)
    self.source = source
    bandRowCount = source.bandRowCount
    bandCount = (picture.directory.size.height - 1) / bandRowCount + 1
    converter = TIFFConverter(
      picture.pixels, isPlanar: picture.coding.isPlanar, isSwapped: source.isSwapped,
      colors: picture.colors,
      format: format)
    rows = .allocate(capacity: max(1, picture.usedPlanes.count))
  }

  deinit {
    rows.deallocate()
  }

  /// The rows of a band.
  func rows(of band: Int) -> Range<Int> {
    band * bandRowCount..<min(picture.directory.size.height, (band + 1) * bandRowCount)
  }

  /// Decodes a band.
  ///
  /// - Returns: The errors of its pieces, for which pixels are missing or recovered.
  /// - Throws: ``ImagingError/cancelled``, ``ImagingError/limitExceeded(_:value:limit:)``.
  func load(_ band: Int, _ watch: DecodeLimits.DeadlineChecker) throws(ImagingError) -> [ImagingError] {
    self.band = band
    var met: [ImagingError] = []
    let wanted = rows(of: band).count
    for column in 0..<picture.geometry.across {
      try watch.check()
      if let failure = source.load(band: band, column: column, rowCount: wanted) { met.append(failure) }
      let available = source.availableRowCount(column: column)
      decodedRowCount += available
      if available < wanted { lacksPixels = true }
    }
    for failure in met where !failures.contains(where: { $0.code == failure.code }) {
      failures.append(failure)
    }
    return met
  }

  /// Writes a row of the picture, which is in the loaded band.
  func convert(row: Int, to target: UnsafeMutablePointer<UInt8>) {
    let geometry = picture.geometry
    let local = row - band * bandRowCount
    for column in 0..<geometry.across {
      let x = column * geometry.piece.width
      let count = min(geometry.piece.width, geometry.size.width - x)
      let pixels = target + x * bytesPerPixel
      guard local < source.availableRowCount(column: column) else {
        memset(pixels, 0, count * bytesPerPixel)
        continue
      }
      if picture.pixels.maker == .library {
        memcpy(pixels, source.row(local, column: column, plane: 0), 4 * count)
        continue
      }
      for plane in picture.usedPlanes.indices {
        rows[plane] = source.row(local, column: column, plane: plane)
      }
      converter.convert(
        rows, readable: source.readableCount(behind: local, column: column), to: pixels, count: count)
    }
  }
}
#endif
