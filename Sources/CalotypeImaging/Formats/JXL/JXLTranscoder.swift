#if JXL
import CJXL
public import FoundationEssentials

/// A converter between JPEG and JPEG XL that keeps every bit: the JPEG XL is about a fifth smaller, and the same JPEG
/// can be made of it again, with its metadata (ISO/IEC 18181-2, annex A).
///
/// ```swift
/// let small = try JXLTranscoder.jxl(from: photo)
/// let same = try JXLTranscoder.jpeg(from: small)   // == photo
/// ```
///
/// The metadata are part of the file, positions as well. Nothing is decoded to pixels.
public enum JXLTranscoder {
  /// Returns a JPEG XL that holds a JPEG.
  ///
  /// - Parameters:
  ///   - jpeg: The JPEG: baseline or progressive, of 8 bits, grey or in three colours.
  ///   - effort: The effort to spend on a smaller file.
  ///   - limits: The limits on the size of the picture and of its file.
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` for a JPEG that libjxl cannot store so, and without the
  ///   library;
  ///   ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)``, ``ImagingError/encodingFailed(_:reason:)`` if the same bytes
  ///   could not be made again.
  public static func jxl(
    from jpeg: Data, effort: EncodeOptions.Effort = .balanced, limits: DecodeLimits = .default
  ) throws(ImagingError) -> Data {
    try limits.check(byteCount: jpeg.count)
    let info = try JPEGDecoder().probe(jpeg, limits: limits)
    try limits.check(size: info.size, format: .jpeg)
    // The library holds all coefficients, twice while it encodes.
    try limits.check(predictedByteCount: 16 * info.size.pixelCount, encodedByteCount: jpeg.count)
    if Task.isCancelled { throw .cancelled }
    let writer = try JXLWriter()
    try writer.addJPEG(jpeg, effort: JXLQuality.effort(effort))
    let file = try writer.finish()
    guard try self.jpeg(from: file, limits: limits) == jpeg else {
      throw .encodingFailed(.jxl, reason: "libjxl cannot make the same JPEG again")
    }
    return file
  }

  /// Returns the JPEG that a JPEG XL was made of.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` if the file was not made of a JPEG, without the library;
  ///   ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)``.
  public static func jpeg(
    from jxl: Data, limits: DecodeLimits = .default
  ) throws(ImagingError) -> Data {
    try limits.check(byteCount: jxl.count)
    let watch = DecodeLimits.DeadlineChecker(limits)
    let file = try JXLFile(jxl, limits: limits)
    try limits.check(predictedByteCount: 16 * file.header.size.pixelCount, encodedByteCount: jxl.count)
    try file.withCodestream(of: jxl) { (bytes) throws(ImagingError) in
      let reader = try JXLReader(bytes, header: file.header, limits: limits, watch: watch)
      // Nothing is decoded to pixels. Further frames, also hidden ones, would be.
      guard reader.survey.totalPixelCount <= file.header.size.pixelCount, !reader.survey.isAnyModular else {
        throw .unsupportedFormat(.jxl, reason: notOfJPEG)
      }
    }
    return try jxl.bytes.withUnsafeBytes { (bytes) throws(ImagingError) in
      let session = try JXLSession(bytes, wants: .jpeg, limits: limits, watch: watch)
      return try jpeg(of: session, limits: limits, byteCount: jxl.count)
    }
  }

  private static let notOfJPEG = "it was not made of a JPEG, so there is none to restore"

  private static func jpeg(
    of session: JXLSession, limits: DecodeLimits, byteCount: Int
  ) throws(ImagingError) -> Data {
    // Usual JPEGs are a quarter larger. If the room is too small, the library begins again.
    var size = 2 * byteCount + (64 << 10)
    var buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    defer { buffer.deallocate() }
    var isBegun = false
    while true {
      switch try session.next() {
      case CJXL_JPEG:
        isBegun = true
      case CJXL_JPEG_FULL:
        _ = cjxl_decoder_release_jpeg(session.decoder)
        guard size <= limits.maxBytes else {
          throw .limitExceeded(.bytes, value: 2 * size, limit: limits.maxBytes)
        }
        buffer.deallocate()
        size *= 2
        buffer = .allocate(capacity: size)
      case CJXL_IMAGE where isBegun:
        return Data(bytes: buffer, count: size - min(size, cjxl_decoder_release_jpeg(session.decoder)))
      case CJXL_CUT: throw .truncated(.jxl, byteCount: byteCount)
      default:
        throw .unsupportedFormat(.jxl, reason: notOfJPEG)
      }
      guard isBegun, cjxl_decoder_set_jpeg(session.decoder, buffer, size) else {
        throw .corrupt(.jxl, reason: "the JPEG in it cannot be restored", offset: nil)
      }
    }
  }
}
#endif
