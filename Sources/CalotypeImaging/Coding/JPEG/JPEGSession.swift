import CJPEG
import FoundationEssentials

/// One decode of one JPEG by libjpeg-turbo.
struct JPEGSession: ~Copyable {
  /// Grey of what could not be decoded: what libjpeg shows for lost blocks.
  private static let lost: UInt8 = 128
  /// Bytes per pixel that coefficients can take at most: four components, unsampled, 16 bits.
  private static let coefficientBytesPerPixel = 8
  /// What the library may take beside coefficients: tables, rows, blocks at the edges of sampled components.
  private static let workingBytes = 64 << 20

  private let decoder: OpaquePointer
  private let data: Data
  private let limits: DecodeLimits
  private let allowsPartial: Bool

  /// Prepares to decode; reads nothing yet.
  init(_ data: Data, limits: DecodeLimits, allowsPartial: Bool) throws(ImagingError) {
    let (coefficients, overflow) = limits.maxPixels.multipliedReportingOverflow(
      by: Self.coefficientBytesPerPixel)
    let memory = overflow ? Int.max : coefficients.addingReportingOverflow(Self.workingBytes).partialValue
    guard
      let decoder = cjpeg_decoder_create(
        { Task.isCancelled ? 1 : 0 }, Int32(clamping: max(1, limits.maxScans)), memory < 0 ? .max : memory)
    else { throw .outOfMemory(byteCount: Self.workingBytes) }
    self.decoder = decoder
    self.data = data
    self.limits = limits
    self.allowsPartial = allowsPartial
  }

  deinit {
    cjpeg_decoder_destroy(decoder)
  }

  /// Decodes at 1/`denominator` of the stored size.
  func decode(denominator: Int) throws(ImagingError) -> (bitmap: Bitmap, isPartial: Bool) {
    let bytes = data.bytes
    return try bytes.withUnsafeBytes {
      (input: UnsafeRawBufferPointer) throws(ImagingError) -> (bitmap: Bitmap, isPartial: Bool) in
      // The bytes stay where they are until the end of this closure, and nothing reads them afterwards.
      cjpeg_decoder_input(decoder, input.baseAddress?.assumingMemoryBound(to: UInt8.self), input.count, 1)
      defer { cjpeg_decoder_input(decoder, nil, 0, 1) }
      var header = cjpeg_header()
      try check(cjpeg_decoder_read_header(decoder, &header))
      var width: UInt32 = 0
      var height: UInt32 = 0
      try check(cjpeg_decoder_start(decoder, Int32(denominator), &width, &height))
      try checkDamage()
      var isPartial = false
      let size = PixelSize(width: Int(width), height: Int(height))
      let bitmap = try Bitmap(size: size) { (pixels: UnsafeMutableRawBufferPointer) throws(ImagingError) in
        isPartial = try readRows(into: pixels, height: height)
        return true
      }
      return (bitmap, isPartial)
    }
  }

  /// Fills the buffer; returns whether part of it is lost.
  private func readRows(
    into pixels: UnsafeMutableRawBufferPointer, height: UInt32
  ) throws(ImagingError) -> Bool {
    let bytesPerRow = pixels.count / Int(height)
    var read: UInt32 = 0
    let outcome = cjpeg_decoder_read_rows(
      decoder, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), bytesPerRow, height, &read)
    if Int(outcome) == CJPEG_ERROR, allowsPartial {
      fill(UnsafeMutableRawBufferPointer(rebasing: pixels[(Int(read) * bytesPerRow)...]))
      return true
    }
    try check(outcome)
    try checkDamage()
    return Int(cjpeg_decoder_damage(decoder)) != CJPEG_INTACT
  }

  /// Opaque grey.
  private func fill(_ pixels: UnsafeMutableRawBufferPointer) {
    let pixel = UInt32(littleEndian: 0xFF00_0000 | UInt32(Self.lost) * 0x0001_0101)
    for offset in stride(from: 0, to: pixels.count, by: 4) {
      pixels.storeBytes(of: pixel, toByteOffset: offset, as: UInt32.self)
    }
  }

  /// Throws for lost data, unless partial images are wanted.
  private func checkDamage() throws(ImagingError) {
    guard !allowsPartial else { return }
    switch Int(cjpeg_decoder_damage(decoder)) {
    case CJPEG_INTACT: return
    case CJPEG_TRUNCATED: throw .truncated(.jpeg, byteCount: data.count)
    default: throw .corrupt(.jpeg, reason: message, offset: offset)
    }
  }

  private func check(_ outcome: Int32) throws(ImagingError) {
    switch Int(outcome) {
    case CJPEG_OK: return
    case CJPEG_CANCELLED: throw .cancelled
    case CJPEG_TOO_MANY_SCANS:
      throw .limitExceeded(.scans, value: limits.maxScans + 1, limit: limits.maxScans)
    case CJPEG_OUT_OF_MEMORY: throw .outOfMemory(byteCount: data.count)
    case CJPEG_UNSUPPORTED: throw .unsupportedFormat(.jpeg, reason: message)
    case CJPEG_SUSPENDED: throw .truncated(.jpeg, byteCount: data.count)
    default:
      if Int(cjpeg_decoder_damage(decoder)) == CJPEG_TRUNCATED {
        throw .truncated(.jpeg, byteCount: data.count)
      }
      throw .corrupt(.jpeg, reason: message, offset: offset)
    }
  }

  private var message: String {
    let text = String(cString: cjpeg_decoder_message(decoder))
    return text.isEmpty ? "a component has no scan" : text
  }

  /// About where the library stopped reading; `nil` when it had read everything.
  private var offset: Int? {
    let unread = cjpeg_decoder_unread(decoder)
    return unread > 2 && unread <= data.count ? data.count - unread : nil
  }
}
