import CLibSPNG
import CalotypeImaging
import FoundationEssentials

/// A decoder of libspng for one PNG in memory. It is used by one thread at a time, while the memory is valid.
final class SPNGContext {
  let header: spng_ihdr
  private let context: OpaquePointer
  private let byteCount: Int

  var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }
  var isInterlaced: Bool { header.interlace_method != 0 }

  /// Reads the header, and the chunks up to the image data.
  ///
  /// - Parameters:
  ///   - bytes: The file, whose memory has to outlive this object.
  ///   - limits: The limits, which are checked before any allocation.
  /// - Throws: `ImagingError.corrupt(_:reason:offset:)`, `ImagingError.truncated(_:byteCount:)`,
  ///   `ImagingError.limitExceeded(_:value:limit:)`, `ImagingError.outOfMemory(byteCount:)`.
  init(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) throws(ImagingError) {
    guard !bytes.isEmpty else { throw .emptyInput }
    guard let context = spng_ctx_new(0) else { throw .outOfMemory(byteCount: 1 << 16) }
    self.context = context
    byteCount = bytes.count
    var header = spng_ihdr()
    let chunkLimit = max(1 << 10, limits.maxChunkBytes)
    spng_set_chunk_limits(context, chunkLimit, 2 * chunkLimit)
    // A wrong CRC is an error for critical chunks; others are dropped.
    spng_set_crc_action(context, Int32(SPNG_CRC_ERROR.rawValue), Int32(SPNG_CRC_DISCARD.rawValue))
    spng_set_png_buffer(context, bytes.baseAddress, bytes.count)
    let outcome = spng_get_ihdr(context, &header)
    self.header = header
    try Self.check(outcome, byteCount)
    try limits.check(size: size, format: .png)
    try Self.check(spng_decode_chunks(context), byteCount)
  }

  deinit {
    spng_ctx_free(context)
  }

  /// A Boolean value that indicates whether pixels may be transparent.
  var hasAlpha: Bool {
    var transparency = spng_trns()
    return header.color_type & 4 != 0 || spng_get_trns(context, &transparency) == 0
  }

  /// The colour profile of iCCP, sRGB, gAMA and cHRM, in this order.
  var profile: ColorProfile? {
    var embedded = spng_iccp()
    if spng_get_iccp(context, &embedded) == 0, let start = embedded.profile, embedded.profile_len > 0 {
      return .icc(Data(UnsafeRawBufferPointer(start: start, count: embedded.profile_len)))
    }
    var intent: UInt8 = 0
    if spng_get_srgb(context, &intent) == 0 { return .sRGB }
    var calibration = ColorProfile.Calibration()
    var isCalibrated = false
    var points = spng_chrm_int()
    if spng_get_chrm_int(context, &points) == 0 {
      func point(_ x: UInt32, _ y: UInt32) -> ColorProfile.Calibration.Point {
        .init(x: Double(x) / 100_000, y: Double(y) / 100_000)
      }
      let ys = [points.white_point_y, points.red_y, points.green_y, points.blue_y]
      if !ys.contains(0) {
        calibration.white = point(points.white_point_x, points.white_point_y)
        calibration.red = point(points.red_x, points.red_y)
        calibration.green = point(points.green_x, points.green_y)
        calibration.blue = point(points.blue_x, points.blue_y)
        isCalibrated = true
      }
    }
    var gamma: UInt32 = 0
    if spng_get_gama_int(context, &gamma) == 0, gamma > 0 {
      calibration.gamma = Double(gamma) / 100_000
      isCalibrated = true
    }
    return isCalibrated ? .calibrated(calibration) : nil
  }

  /// The XMP packet of an iTXt chunk before the pixels.
  var xmp: Data? {
    var count: UInt32 = 0
    guard spng_get_text(context, nil, &count) == 0, count > 0 else { return nil }
    var texts = [spng_text](repeating: spng_text(), count: Int(count))
    guard spng_get_text(context, &texts, &count) == 0 else { return nil }
    for text in texts.prefix(Int(count)) {
      let keyword = withUnsafeBytes(of: text.keyword) { Array($0.prefix { $0 != 0 }) }
      guard keyword == Array("XML:com.adobe.xmp".utf8), let start = text.text else { continue }
      return Data(UnsafeRawBufferPointer(start: start, count: text.length))
    }
    return nil
  }

  /// Decodes all rows.
  ///
  /// - Parameters:
  ///   - target: The pixels of ``size`` in `format`.
  ///   - format: The layout: `gray8` for grey of at most 8 bits without transparency, `rgba8` or `rgba16`.
  ///   - watch: The deadline, which is checked between rows.
  /// - Returns: `nil`, or the error that ended the decode, with the number of complete rows.
  /// - Throws: The errors that are not caused by the bytes.
  func decode(
    into target: UnsafeMutableRawBufferPointer, format: PixelFormat, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> (rows: Int, damage: ImagingError)? {
    // The library truncates 16 bits to 8; here they are rounded.
    let rounds = format == .rgba8 && header.bit_depth == 16
    let layout =
      switch format {
      case .gray8: SPNG_FMT_G8
      case .rgba16: SPNG_FMT_RGBA16
      case .rgba8, .cmyk8: rounds ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8
      }
    let plane = PixelPlane(target, size: size, bytesPerPixel: format.bytesPerPixel)
    var wide = [UInt16](repeating: 0, count: rounds ? 4 * size.width : 0)
    let flags = Int32(SPNG_DECODE_TRNS.rawValue | SPNG_DECODE_PROGRESSIVE.rawValue)
    let started = spng_decode_image(context, nil, 0, Int32(layout.rawValue), flags)
    guard started == 0 else { return (0, Self.error(started, byteCount)) }
    var rows = 0
    while true {
      if rows & 15 == 0 { try watch.check() }
      var info = spng_row_info()
      let known = spng_get_row_info(context, &info)
      // Later passes of an interlaced picture may have no rows.
      if known == Int32(SPNG_EOI.rawValue), rows > 0 { return nil }
      guard known == 0 else { return (rows, Self.error(known, byteCount)) }
      let row = plane.row(Int(info.row_num), count: size.width)
      let outcome: Int32
      if rounds {
        outcome = wide.withUnsafeMutableBytes { spng_decode_row(context, $0.baseAddress, $0.count) }
        if outcome == 0 || outcome == Int32(SPNG_EOI.rawValue) {
          let (first, step) = isInterlaced ? Self.columns(ofPass: Int(info.pass)) : (0, 1)
          for column in stride(from: first, to: size.width, by: step) {
            for sample in 4 * column..<4 * column + 4 {
              row[sample] = UInt8(truncatingIfNeeded: (UInt32(wide[sample]) * 255 + 32895) >> 16)
            }
          }
        }
      } else {
        outcome = spng_decode_row(context, row.baseAddress, row.count)
      }
      if outcome == Int32(SPNG_EOI.rawValue) { return nil }
      guard outcome == 0 else { return (rows, Self.error(outcome, byteCount)) }
      rows += 1
    }
  }

  /// Returns the first column and step of a pass of Adam7 (PNG, 8.2), counted from 0.
  private static func columns(ofPass pass: Int) -> (first: Int, step: Int) {
    [(0, 8), (4, 8), (0, 4), (2, 4), (0, 2), (1, 2), (0, 1)][min(6, max(0, pass))]
  }

  private static func check(_ outcome: Int32, _ byteCount: Int) throws(ImagingError) {
    if outcome != 0 { throw error(outcome, byteCount) }
  }

  private static func error(_ outcome: Int32, _ byteCount: Int) -> ImagingError {
    switch outcome {
    case Int32(SPNG_EMEM.rawValue): return .outOfMemory(byteCount: byteCount)
    case Int32(SPNG_EOF.rawValue), Int32(SPNG_EIDAT_TOO_SHORT.rawValue), Int32(SPNG_IO_EOF.rawValue):
      return .truncated(.png, byteCount: byteCount)
    default: return .corrupt(.png, reason: String(cString: spng_strerror(outcome)), offset: nil)
    }
  }
}
