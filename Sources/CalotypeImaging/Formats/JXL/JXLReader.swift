#if JXL
import CJXL
import FoundationEssentials

/// A reader of pictures from a codestream: the survey of its frames, its colours, then the frames one after the other.
/// Not `Sendable`: one thread at a time.
final class JXLReader {
  let header: JXLHeader
  /// The frames, or the first one only.
  let survey: JXLSurvey
  /// The colours of the pixels; `nil` is sRGB.
  var profile: ColorProfile? { header.isInked && header.hasAlpha ? nil : inkProfile }
  /// The colours of the samples.
  private let inkProfile: ColorProfile?
  /// The position behind the header.
  private let start: Int
  private let session: JXLSession
  private let byteCount: Int
  private let limits: DecodeLimits

  /// Reads the header and checks all that is known of the frames against the limits.
  ///
  /// - Parameters:
  ///   - codestream: The codestream, which stays where it is while the reader is used.
  ///   - header: Its header.
  ///   - known: The survey of all frames, if there is one.
  ///   - limits: The limits.
  ///   - watch: The deadline.
  ///   - failing: The number of the allocation that fails; for tests.
  init(
    _ codestream: UnsafeRawBufferPointer, header: JXLHeader, known: JXLSurvey? = nil, limits: DecodeLimits,
    watch: DecodeLimits.DeadlineChecker, failing: Int = 0
  ) throws(ImagingError) {
    self.header = header
    self.limits = limits
    byteCount = codestream.count
    session = try JXLSession(
      codestream, wants: [.color, .pixels], unpremultiplies: header.isPremultiplied, limits: limits,
      watch: watch,
      failing: failing)
    try session.reach(CJXL_COLOR)
    start = cjxl_decoder_position(session.decoder)
    if let known {
      survey = known
    } else {
      survey = try JXLSurvey(
        codestream, from: start, header: header, onlyFirst: header.plays == nil, limits: limits)
    }
    inkProfile = try session.profile(of: header, limits: limits)
  }

  /// The layout of decoded pixels for these options.
  func pixelFormat(_ options: DecodeOptions) -> PixelFormat {
    let isDeep = header.bitDepth > 8
    if isDeep, options.mapsTones(of: header.dynamicRange) { return .rgba16 }
    guard options.pixels == .native else { return .rgba8 }
    if header.isInked { return header.hasAlpha ? .rgba8 : .cmyk8 }
    if isDeep { return .rgba16 }
    return header.isGray && !header.hasAlpha ? .gray8 : .rgba8
  }

  /// Goes on with a frame, past those between it and the last one that depends on no earlier frame.
  func move(to index: Int, from key: Int) {
    // The library expects a preview before the first frame that it reads.
    let canMove = header.preview == nil
    if canMove { cjxl_decoder_move(session.decoder, min(survey.frames[key].offset, byteCount)) }
    skip(canMove ? index - key : index)
  }

  /// Leaves out frames.
  func skip(_ count: Int) { if count > 0 { cjxl_decoder_skip(session.decoder, count) } }

  /// Sets another deadline.
  func resume(_ watch: DecodeLimits.DeadlineChecker) { session.resume(watch) }

  /// Decodes the next frame.
  ///
  /// - Returns: The picture, and whether pixels are missing because the data end early.
  func frame(
    _ options: DecodeOptions
  ) throws(ImagingError) -> (bitmap: Bitmap, isPartial: Bool) {
    try session.reach(CJXL_NEEDS_TARGET)
    let format = pixelFormat(options)
    if let black = header.channels.firstIndex(where: { $0.kind == .black }) {
      return (try inkedFrame(black: black), false)
    }
    var isPartial = false
    let bitmap = try Bitmap(size: header.size, format: format) { (pixels) throws(ImagingError) in
      if format == .rgba8, !options.keepsPartial {
        try fill(pixels)
        return !header.hasAlpha
      }
      if options.keepsPartial { pixels.initializeMemory(as: UInt8.self, repeating: 0) }
      try setTarget(pixels, format)
      isPartial = try !finish(allowsPartial: options.keepsPartial)
      return !isPartial && !header.hasAlpha
    }
    return (bitmap, isPartial)
  }

  /// Decodes the next frame in pieces of rows.
  func rows(to rows: UnsafeMutablePointer<cjxl_rows>) throws(ImagingError) {
    try session.reach(CJXL_NEEDS_TARGET)
    try deliver(to: rows)
  }

  private func deliver(to rows: UnsafeMutablePointer<cjxl_rows>) throws(ImagingError) {
    guard cjxl_decoder_set_rows(session.decoder, rows) else { throw Self.refusedTarget }
    _ = try finish(allowsPartial: false)
    guard rows.pointee.complete == header.size.height else {
      throw .corrupt(.jxl, reason: "rows are missing", offset: nil)
    }
  }

  /// Decodes straight into the pixels, which is faster in pieces of rows than through a buffer of the library.
  private func fill(_ pixels: UnsafeMutableRawBufferPointer) throws(ImagingError) {
    var counts = [UInt32](repeating: 0, count: header.size.height)
    try counts.withUnsafeMutableBufferPointer { (counts) throws(ImagingError) in
      let rows = UnsafeMutablePointer<cjxl_rows>.allocate(capacity: 1)
      defer { rows.deallocate() }
      rows.initialize(
        to: cjxl_rows(
          pixels: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), width: header.size.width,
          height: header.size.height, counts: counts.baseAddress, complete: 0, begun: 0, advance: nil,
          context: nil))
      try deliver(to: rows)
    }
  }

  /// Ends the decode at the next chance, with an error.
  func fail(_ error: ImagingError) { session.fail(error) }

  private func setTarget(
    _ pixels: UnsafeMutableRawBufferPointer, _ format: PixelFormat
  ) throws(ImagingError) {
    let isSet = cjxl_decoder_set_pixels(
      session.decoder, format == .gray8 ? 1 : 4, format == .rgba16 ? 16 : 8, pixels.baseAddress, pixels.count)
    guard isSet else { throw Self.refusedTarget }
  }

  /// Decodes the pixels; returns true if all are there.
  private func finish(allowsPartial: Bool) throws(ImagingError) -> Bool {
    while true {
      switch try session.next() {
      case CJXL_IMAGE: return true
      case CJXL_CUT, CJXL_END:
        guard allowsPartial, cjxl_decoder_flush(session.decoder) else {
          throw .truncated(.jxl, byteCount: byteCount)
        }
        return false
      default: break
      }
    }
  }

  /// Decodes a frame of four inks, of which the file stores the paper between them.
  private func inkedFrame(black: Int) throws(ImagingError) -> Bitmap {
    var blacks = [UInt8](repeating: 0, count: header.size.pixelCount)
    var alphas: [UInt8] = []
    let inks = try Bitmap(size: header.size, format: .cmyk8) { (pixels) throws(ImagingError) in
      try setTarget(pixels, .rgba8)
      // The address has to stay the same until the frame is decoded.
      try blacks.withUnsafeMutableBufferPointer { (plane) throws(ImagingError) in
        guard
          cjxl_decoder_set_channel(session.decoder, UInt32(black), plane.baseAddress, plane.count)
        else { throw Self.refusedTarget }
        _ = try finish(allowsPartial: false)
      }
      if header.hasAlpha { alphas = stride(from: 3, to: pixels.count, by: 4).map { pixels[$0] } }
      for index in blacks.indices {
        for channel in 0..<3 { pixels[4 * index + channel] = ~pixels[4 * index + channel] }
        pixels[4 * index + 3] = ~blacks[index]
      }
      return true
    }
    guard header.hasAlpha else { return inks }
    let colors = try inks.converted(from: inkProfile, limits: limits)
    return try Bitmap(size: header.size) { pixels in
      colors.withUnsafeBytes { pixels.copyMemory(from: $0) }
      for index in alphas.indices { pixels[4 * index + 3] = alphas[index] }
      return false
    }
  }

  private static var refusedTarget: ImagingError {
    .corrupt(.jxl, reason: "its pixels do not fit its size", offset: nil)
  }
}
#endif
