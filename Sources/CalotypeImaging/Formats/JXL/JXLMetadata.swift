#if JXL
import CJXL
import FoundationEssentials

/// A reader of the boxes of metadata, as they are and compressed (ISO/IEC 18181-2).
enum JXLMetadata {
  /// Returns Exif and XMP; blocks that are damaged, or longer than the limit, are left out.
  ///
  /// - Throws: ``ImagingError/cancelled``, ``ImagingError/limitExceeded(_:value:limit:)`` for the time.
  static func read(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageMetadata {
    var metadata = ImageMetadata()
    guard !data.bytes.holds([0xFF, 0x0A]) else { return metadata }
    let watch = DecodeLimits.DeadlineChecker(limits)
    return try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      let session = try JXLSession(file, wants: .boxes, limits: limits, watch: watch)
      do throws(ImagingError) {
        var event = try session.next()
        while event != CJXL_END, event != CJXL_CUT {
          event = event == CJXL_BOX ? try read(session, limits, into: &metadata) : try session.next()
        }
      } catch {
        guard error.blamesInput else { throw error }
      }
      return metadata
    }
  }

  /// Reads a box, and returns the event behind it.
  private static func read(
    _ session: JXLSession, _ limits: DecodeLimits, into metadata: inout ImageMetadata
  ) throws(ImagingError) -> cjxl_event {
    var type: (CChar, CChar, CChar, CChar) = (0, 0, 0, 0)
    let name = withUnsafeMutableBytes(of: &type) { bytes in
      let address = bytes.assumingMemoryBound(to: CChar.self).baseAddress
      return cjxl_decoder_box_type(session.decoder, address) ? String(decoding: bytes, as: UTF8.self) : ""
    }
    guard (name == "Exif" && metadata.exif == nil) || (name == "xml " && metadata.xmp == nil) else {
      return try session.next()
    }
    let (content, event) = try content(session, limits)
    if name == "Exif" {
      metadata.exif = content.flatMap { withoutOffset($0) }
    } else {
      metadata.xmp = content
    }
    return event
  }

  /// Returns the TIFF structure in the content of an Exif box, which begins with its offset.
  private static func withoutOffset(_ content: Data) -> Data? {
    guard let offset = content.bytes.uint32(at: 0, bigEndian: true), Int(offset) < content.count - 4 else {
      return nil
    }
    return Data(content.dropFirst(4 + Int(offset)))
  }

  /// Returns the content of the box, or `nil` if it is too long, and the event behind it.
  private static func content(
    _ session: JXLSession, _ limits: DecodeLimits
  ) throws(ImagingError) -> (Data?, cjxl_event) {
    var content = Data()
    let size = 64 << 10
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    defer { buffer.deallocate() }
    while content.count <= limits.maxChunkBytes {
      guard cjxl_decoder_set_box(session.decoder, buffer, size) else { break }
      defer { _ = cjxl_decoder_release_box(session.decoder) }
      let event = try session.next()
      let left = cjxl_decoder_release_box(session.decoder)
      content.append(buffer, count: size - min(size, left))
      if event != CJXL_BOX_FULL { return (content.count <= limits.maxChunkBytes ? content : nil, event) }
    }
    return (nil, try session.next())
  }
}
#endif
