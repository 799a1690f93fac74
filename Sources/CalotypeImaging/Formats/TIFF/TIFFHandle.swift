#if TIFF
import CTIFF

/// A file in the hands of libtiff, with one directory selected.
final class TIFFHandle {
  private let file: OpaquePointer
  private let offset: Int
  private let compression: TIFFCompression
  /// Bytes of a decoded row of a strip.
  private(set) var rowByteCount = 0

  /// The memory of the library besides decoded and encoded pieces: tables, windows and states of codecs.
  private static let workingBytes = 64 << 20

  /// Opens the bytes, which have to stay where they are, and selects a directory.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` without the library;
  ///   ``ImagingError/corrupt(_:reason:offset:)`` if it refuses the directory, or reads other numbers in it.
  init(
    _ bytes: UnsafeRawBufferPointer, _ directory: TIFFDirectory, _ coding: TIFFCoding,
    _ geometry: TIFFGeometry, makesColors: Bool
  ) throws(ImagingError) {
    try OptionalLibrary.tiff.require()
    let pieces = geometry.pieceByteCount.addingReportingOverflow(bytes.count)
    let (memory, overflow) = pieces.partialValue.addingReportingOverflow(Self.workingBytes)
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard
      let file = ctiff_file_open(start, bytes.count, pieces.overflow || overflow ? .max : memory)
    else { throw .corrupt(.tiff, reason: "libtiff refuses the header", offset: 0) }
    self.file = file
    offset = directory.offset
    compression = coding.compression
    let found = try select()
    rowByteCount = Int(clamping: found.row_bytes)
    let isEqual =
      Int(found.width) == directory.size.width && Int(found.height) == directory.size.height
      && Int(found.bits) == directory.bitsPerSample && Int(found.samples) == directory.samplesPerPixel
      && found.is_tiled == geometry.isTiled
      && (geometry.isTiled
        ? Int(found.tile_width) == geometry.piece.width && Int(found.tile_height) == geometry.piece.height
        : Int(found.rows_per_strip) == geometry.piece.height)
      && (found.planar == 2) == coding.isPlanar
    guard isEqual, makesColors || Int(clamping: found.piece_bytes) == geometry.pieceByteCount else {
      throw .corrupt(.tiff, reason: "the directory has two readings", offset: offset)
    }
  }

  deinit {
    ctiff_file_close(file)
  }

  @discardableResult
  private func select() throws(ImagingError) -> ctiff_directory {
    var directory = ctiff_directory()
    ctiff_file_forget(file)
    guard ctiff_file_select(file, UInt64(offset), &directory) else { throw failure }
    return directory
  }

  /// Selects the directory again, so that rows can be read from the first on.
  func restart() throws(ImagingError) { try select() }

  /// The error of a call that returned false.
  private var failure: ImagingError {
    let text = String(cString: ctiff_file_error(file))
    return .corrupt(.tiff, reason: text.isEmpty ? "libtiff gives no reason" : text, offset: nil)
  }

  /// The flaw of data that were decoded all the same; `nil` if there is none.
  private var flaw: ImagingError? {
    if ctiff_file_error_count(file) > 0 { return failure }
    guard compression.warnsOfDamage, ctiff_file_warning_count(file) > 0 else { return nil }
    return .corrupt(.tiff, reason: "libtiff warns of damaged data", offset: nil)
  }

  /// The result of reading pixels.
  enum Outcome {
    /// All pixels are there. An error says that some of them were recovered.
    case complete(flaw: ImagingError?)
    case failed(ImagingError)
  }

  private func outcome(_ read: () -> Bool) -> Outcome {
    ctiff_file_forget(file)
    guard read() else { return .failed(failure) }
    // Runs of a damaged fax may come from memory that libtiff has never written.
    if compression.isFax, let flaw { return .failed(flaw) }
    return .complete(flaw: flaw)
  }

  /// Decodes a strip or tile into a buffer of exactly its size.
  func read(_ piece: Int, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    outcome { ctiff_file_read(file, UInt32(clamping: piece), buffer.baseAddress, buffer.count) }
  }

  /// Decodes a row of one plane. `buffer` has room for ``rowByteCount``.
  func readRow(_ row: Int, plane: Int, into buffer: UnsafeMutableRawPointer) -> Outcome {
    outcome { ctiff_file_read_row(file, UInt32(clamping: row), UInt16(clamping: plane), buffer) }
  }

  /// Decodes the strip or tile with a pixel as RGBA, from the bottom row to the top.
  func readColors(x: Int, y: Int, into raster: UnsafeMutablePointer<UInt32>) -> Outcome {
    outcome { ctiff_file_read_rgba(file, UInt32(clamping: x), UInt32(clamping: y), raster) }
  }
}
#endif
