import CJPEG
public import FoundationEssentials
import Glibc

/// A converter of JPEGs to smaller ones with the same pixels: their coefficients are written with optimised codes, in the
/// progressive scans that take the fewest bytes. Most JPEGs become 3 to 12 % smaller.
///
/// ```swift
/// let small = try JPEGOptimizer.optimized(photo)
/// ```
public enum JPEGOptimizer {
  /// The metadata to keep.
  public enum Metadata: Hashable, Sendable {
    /// All segments of the file, as they are.
    case all
    /// Those that decide how the image looks: its profile and its orientation.
    case rendering
  }

  /// Returns the smallest file with the same pixels: the JPEG itself if no other is smaller, and if it may not be changed
  /// without loss, because further images or other data follow it.
  ///
  /// - Parameters:
  ///   - jpeg: The JPEG: baseline or progressive, of 8 bits.
  ///   - metadata: The metadata to keep.
  ///   - limits: The limits on the size of the picture, its memory, its scans and the file.
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` or ``ImagingError/truncated(_:byteCount:)`` for a file that is damaged in
  ///   any way, ``ImagingError/unsupportedFormat(_:reason:)`` for one of more bits or of another process,
  ///   ``ImagingError/limitExceeded(_:value:limit:)``, ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public static func optimized(
    _ jpeg: Data, metadata: Metadata = .all, limits: DecodeLimits = .default
  ) throws(ImagingError) -> Data {
    try limits.check(byteCount: jpeg.count)
    let header = try JPEGHeader(jpeg)
    try limits.check(size: header.size, format: .jpeg)
    try header.checkSupport()
    let memory = coefficientByteCount(header)
    try limits.check(predictedByteCount: memory, encodedByteCount: jpeg.count)
    let exif: [UInt8] =
      metadata == .rendering ? header.orientation.map(Self.exif) ?? [] : []
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_SIZE))
    let outcome = jpeg.withUnsafeBytes { source in
      exif.withUnsafeBufferPointer { exif in
        cjpeg_optimize(
          source.bindMemory(to: UInt8.self).baseAddress, source.count, metadata == .all ? 1 : 0,
          exif.isEmpty ? nil : exif.baseAddress, exif.count, Int32(clamping: max(1, limits.maxScans)), memory,
          { Task.isCancelled ? 1 : 0 }, &bytes, &count, &message)
      }
    }
    switch Int(outcome) {
    case CJPEG_OK: break
    case CJPEG_CANCELLED: throw .cancelled
    case CJPEG_OUT_OF_MEMORY: throw .outOfMemory(byteCount: memory)
    case CJPEG_TOO_MANY_SCANS:
      throw .limitExceeded(.scans, value: limits.maxScans + 1, limit: limits.maxScans)
    case CJPEG_UNSUPPORTED: return jpeg
    default:
      let end = message.firstIndex(of: 0) ?? message.endIndex
      let text = String(decoding: message[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw .corrupt(.jpeg, reason: text, offset: nil)
    }
    guard let bytes else { return jpeg }
    let small = Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    return small.count < jpeg.count ? small : jpeg
  }

  /// Returns the bytes of memory that the coefficients and the tables of the library take at most.
  private static func coefficientByteCount(_ header: JPEGHeader) -> Int {
    let most = header.components.map { $0.horizontal * $0.vertical }.max() ?? 1
    let samples = header.components.reduce(0) { $0 + $1.horizontal * $1.vertical }
    // Two bytes for each coefficient, of sides that are rounded up to whole units of 32 samples.
    let (width, height) = (header.size.width + 32, header.size.height + 32)
    return 2 * width * height * samples / most + (8 << 20)
  }

  /// Returns the payload of a segment with an Exif block (CIPA DC-008) that has an orientation alone.
  private static func exif(_ orientation: Orientation) -> [UInt8] {
    guard orientation != .topLeft else { return [] }
    let directory: [UInt8] = [
      0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // big-endian TIFF, a directory at 8
      0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0,  // one entry
      0, 0, 0, 0,  // no further directory
    ]
    return JPEGHeader.exifName.withUTF8Buffer { [UInt8]($0) } + directory
  }
}
