import CJPEG
import FoundationEssentials

/// A decode of one JPEG by libjpeg-turbo, window by window; see ``JPEGWindows``.
///
/// It is used by one thread at a time.
final class JPEGSession {
  /// The largest number of bytes per pixel that coefficients can take: four components, unsampled, 16 bits.
  private static let coefficientBytesPerPixel = 8
  /// The memory of the library besides coefficients: tables, rows, blocks at the edges of sampled components.
  private static let workingBytes = 64 << 20
  /// Pixels between two checks for cancellation: a few milliseconds.
  private static let pixelsPerStep = 1 << 18

  private enum State {
    case header
    /// One scan: rows are decoded as their bytes arrive.
    case rows
    /// Several scans: coefficients are collected.
    case scans
    /// The input has been read.
    case complete
  }

  private enum Target {
    case canvas(JPEGCanvas)
    case shrunk(RowSink)
    case planes(PlaneSink)
  }

  private let header: JPEGHeader
  let options: DecodeOptions
  private let denominator: Int
  private let layout: Int
  /// The profile of the delivered pixels.
  let profile: ColorProfile?
  let decoder: OpaquePointer

  private var state = State.header
  private var size = PixelSize(width: 0, height: 0)
  private var isBuffered = false
  private let shrinker: RowShrinker?
  /// The target of rows: a whole picture, or a thumbnail that is resampled on the way.
  private var target: Target?
  /// The resizes of planes, if the thumbnails are made of them.
  private var planes: PlanePlan?
  private var rowCount = 0
  private var isPartial = false
  /// The number of rows or scans in the last snapshot.
  private var shown = 0
  private let clock: DecodeLimits.Stopwatch
  /// The end of the current window in the file.
  private(set) var windowEnd = 0

  /// Prepares a decode at the smallest scale that is not below `minimumSize`.
  ///
  /// With a `shrinker` there are no snapshots.
  ///
  /// - Throws: `.limitExceeded`, `.unsupportedFormat`, `.outOfMemory`.
  init(
    _ header: JPEGHeader, minimumSize: PixelSize?, options: DecodeOptions, shrinker: RowShrinker? = nil
  ) throws(ImagingError) {
    self.shrinker = shrinker
    try Self.check(header, options)
    self.header = header
    self.options = options
    clock = DecodeLimits.Stopwatch(options.limits)
    denominator = ScaleDivisor.largest(for: header.size, minimumSize: minimumSize)
    let usable = header.profile.flatMap {
      ICCHeader.explains(header.components.count, $0) ? $0 : nil
    }
    switch header.components.count {
    case 1 where options.pixels == .native:
      layout = CJPEG_GRAY
      profile = usable.map { .icc($0) }
    case 4:
      // The plain product of inks no longer has the colours that the profile describes.
      let converts = options.colors == .sRGB && usable != nil
      layout = converts ? CJPEG_INKS : CJPEG_RGBA
      profile = converts ? usable.map { .icc($0) } : nil
    default:
      layout = CJPEG_RGBA
      profile = usable.map { .icc($0) }
    }
    let (coefficients, overflow) = options.limits.maxPixels.multipliedReportingOverflow(
      by: Self.coefficientBytesPerPixel)
    let (memory, overflow2) = min(overflow ? .max : coefficients, max(0, options.limits.maxMemoryBytes))
      .addingReportingOverflow(Self.workingBytes)
    guard
      let decoder = cjpeg_decoder_create(
        Int32(clamping: max(1, options.limits.maxScans)), overflow2 ? .max : memory)
    else { throw .outOfMemory(byteCount: Self.workingBytes) }
    self.decoder = decoder
    if options.damage == .strict { cjpeg_decoder_read_hidden_scans(decoder) }
  }

  /// Refuses headers that exceed a limit or are not supported.
  static func check(_ header: JPEGHeader, _ options: DecodeOptions) throws(ImagingError) {
    try options.limits.check(size: header.size, format: .jpeg)
    try header.checkSupport()
  }

  deinit {
    cjpeg_decoder_destroy(decoder)
  }

  /// A Boolean value that indicates whether all data of the picture have been read.
  var isComplete: Bool { state == .complete }

  /// Decodes as far as a window of the input allows.
  ///
  /// - Parameters:
  ///   - window: The unread bytes of the last window, and those that follow.
  ///   - end: The end of the window in the file.
  ///   - isFinal: Pass true if the file ends there, too.
  /// - Returns: The number of bytes that were read.
  func read(
    _ window: UnsafeRawBufferPointer, end: Int, isFinal: Bool
  ) throws(ImagingError) -> Int {
    windowEnd = end
    cjpeg_decoder_input(
      decoder, window.baseAddress?.assumingMemoryBound(to: UInt8.self), window.count, isFinal ? 1 : 0)
    // The decoder must not keep a pointer to the window after this call.
    defer { cjpeg_decoder_input(decoder, nil, 0, isFinal ? 1 : 0) }
    try clock.run { (watch) throws(ImagingError) in
      while try step(watch) {}
      // The limit of scans takes precedence over damage.
      if !isBuffered || isComplete { try checkDamage(isComplete: isComplete) }
    }
    // The substitute for a missing end marker is no part of the window.
    return max(0, window.count - (isFinal ? 0 : cjpeg_decoder_unread(decoder)))
  }

  /// Does the next step; false if there is nothing to do for now.
  private func step(_ watch: DecodeLimits.DeadlineChecker) throws(ImagingError) -> Bool {
    try watch.check()
    switch state {
    case .header: return try readHeader()
    case .rows: return try readSomeRows()
    case .scans: return try consumeScans()
    case .complete: return false
    }
  }

  private func readHeader() throws(ImagingError) -> Bool {
    var found = cjpeg_header()
    guard try check(cjpeg_decoder_read_header(decoder, &found)) else { return false }
    try options.limits.check(
      size: PixelSize(width: Int(found.width), height: Int(found.height)), format: .jpeg)
    guard Int(found.components) == header.components.count else {
      throw .corrupt(.jpeg, reason: "two readings of the frame header", offset: nil)
    }
    planes = try planePlan(found)
    guard try check(planes.map(start) ?? start()) else { return false }
    isBuffered = found.multiple_scans != 0
    state = isBuffered ? .scans : .rows
    if !isBuffered { target = try makeTarget() }
    return true
  }

  /// Begins the decode of rows of pixels.
  private func start() -> Int32 {
    var width: UInt32 = 0
    var height: UInt32 = 0
    let outcome = cjpeg_decoder_start(decoder, Int32(denominator), Int32(layout), &width, &height)
    size = PixelSize(width: Int(width), height: Int(height))
    return outcome
  }

  /// Begins the decode of planes.
  private func start(_ plan: PlanePlan) -> Int32 {
    var sizes = cjpeg_plane_sizes()
    let outcome = cjpeg_decoder_start_planes(
      decoder, Int32(denominator), Int32(plan.chromaEighths), &sizes)
    size = PixelSize(width: Int(sizes.width), height: Int(sizes.height))
    let chroma = PixelSize(width: Int(sizes.chroma_width), height: Int(sizes.chroma_height))
    // The plan follows from the size in our header, and the rows come from the library's.
    guard Int(outcome) != CJPEG_OK || size == plan.luma.source && chroma == plan.chroma.source else {
      return Int32(CJPEG_ERROR)
    }
    return outcome
  }

  /// Returns the resizes of planes, if the thumbnails can be made of them.
  private func planePlan(_ found: cjpeg_header) throws(ImagingError) -> PlanePlan? {
    guard found.has_planes != 0, layout == CJPEG_RGBA, let shrinker,
      Int(found.width) == header.size.width, Int(found.height) == header.size.height
    else { return nil }
    return try shrinker.planes(
      of: PixelSize(
        width: (header.size.width - 1) / denominator + 1,
        height: (header.size.height - 1) / denominator + 1),
      divisor: denominator,
      chroma: (Int(found.chroma_horizontal), Int(found.chroma_vertical)), source: header.size,
      profile: profile)
  }

  private var format: PixelFormat {
    switch layout {
    case CJPEG_GRAY: .gray8
    case CJPEG_INKS: .cmyk8
    default: .rgba8
    }
  }

  private func makeTarget() throws(ImagingError) -> Target {
    if let planes { return .planes(try PlaneSink(planes)) }
    if let rows = try shrinker?.rows(of: size, format: format, isOpaque: true, profile: profile) {
      return .shrunk(rows)
    }
    return .canvas(try JPEGCanvas(size: size, format: format))
  }

  /// Decodes a few rows of a picture with one scan.
  private func readSomeRows() throws(ImagingError) -> Bool {
    guard let target else { return false }
    let (read, outcome) = readRows(into: target, from: rowCount)
    rowCount += read
    if Int(outcome) == CJPEG_ERROR, options.keepsPartial {
      fill(target, fromRow: rowCount)
      isPartial = true
      state = .complete
      return false
    }
    guard try check(outcome) else { return false }
    if rowCount == size.height { state = .complete }
    return state != .complete
  }

  private func readRows(into target: Target, from row: Int) -> (count: Int, outcome: Int32) {
    if case .planes(let planes) = target { return readBands(into: planes) }
    let bytesPerRow = size.width * format.bytesPerPixel
    var wanted = min(size.height - row, max(16, Self.pixelsPerStep / size.width))
    let start: UnsafeMutablePointer<UInt8>?
    switch target {
    case .canvas(let canvas):
      start = canvas.pixels.baseAddress.map { $0.assumingMemoryBound(to: UInt8.self) + row * bytesPerRow }
    case .shrunk(let rows):
      let room = rows.room
      start = room.start
      wanted = min(wanted, room.count)
    case .planes: return (0, Int32(CJPEG_ERROR))
    }
    var read: UInt32 = 0
    let outcome = cjpeg_decoder_read_rows(decoder, start, bytesPerRow, UInt32(wanted), &read)
    if case .shrunk(let rows) = target { rows.advance(by: Int(read)) }
    return (Int(read), outcome)
  }

  private func readBands(into planes: PlaneSink) -> (count: Int, outcome: Int32) {
    let first = planes.rows
    while planes.rows < size.height, (planes.rows - first) * size.width < Self.pixelsPerStep {
      var bands = cjpeg_bands()
      let outcome = cjpeg_decoder_read_bands(decoder, &bands)
      guard Int(outcome) == CJPEG_OK else { return (planes.rows - first, outcome) }
      let rows = [bands.rows.0, bands.rows.1, bands.rows.2]
      let strides = [bands.stride.0, bands.stride.1, bands.stride.2]
      for plane in 0..<3 {
        guard let start = rows[plane] else { break }
        planes.append(
          plane: plane, rows: start, stride: strides[plane],
          count: Int(plane == 0 ? bands.count : bands.chroma_count))
      }
    }
    return (planes.rows - first, Int32(CJPEG_OK))
  }

  /// Fills the rows from this one on with the grey of lost blocks.
  private func fill(_ target: Target, fromRow row: Int) {
    switch target {
    case .canvas(let canvas): canvas.fill(fromRow: row)
    case .planes(let planes): planes.fill()
    case .shrunk(let rows):
      while !rows.isComplete {
        let room = rows.room
        let byteCount = room.count * size.width * format.bytesPerPixel
        JPEGCanvas.fill(UnsafeMutableRawBufferPointer(start: room.start, count: byteCount), format)
        rows.advance(by: room.count)
      }
    }
  }

  /// Returns the bitmap of a target that has all rows.
  private func bitmap(of target: Target) throws(ImagingError) -> Bitmap {
    switch target {
    case .canvas(let canvas): return canvas.bitmap
    case .planes(let planes):
      guard let bitmap = try planes.finished() else { throw .truncated(.jpeg, byteCount: windowEnd) }
      shrinker?.take(bitmap)
      return bitmap
    case .shrunk(let rows):
      guard let bitmap = shrinker?.take(rows) else { throw .truncated(.jpeg, byteCount: windowEnd) }
      return bitmap
    }
  }

  /// Collects the coefficients of a few rows of blocks.
  private func consumeScans() throws(ImagingError) -> Bool {
    let rows = max(1, Self.pixelsPerStep / (16 * header.size.width))
    let outcome = cjpeg_decoder_consume(decoder, UInt32(rows))
    if Int(outcome) == CJPEG_END {
      state = .complete
      return false
    }
    if Int(outcome) == CJPEG_ERROR, options.keepsPartial, cjpeg_decoder_has_rows(decoder) != 0 {
      // The scans before are a picture, if a coarse one.
      isPartial = true
      state = .complete
      return false
    }
    return try check(outcome)
  }

  /// Returns the picture after all input has been read.
  func finish() throws(ImagingError) -> Image {
    guard isComplete else { throw .truncated(.jpeg, byteCount: windowEnd) }
    var flaws = isPartial ? [.partial, .damaged] : flaws
    // Too few bytes cannot hold the picture: without partial images they are refused unread.
    if !flaws.isEmpty, let start = header.scanOffset, windowEnd - start < header.minimumScanBytes {
      flaws.insert(.partial)
    }
    if let target { return image(try bitmap(of: target), flaws) }
    return image(try readPass(), flaws)
  }

  /// Returns the visible part so far, unless nothing has arrived since the last snapshot: the rows of a picture with
  /// one scan, or the newest complete scan of a picture with several.
  func snapshot() throws(ImagingError) -> Image? {
    let seen = isBuffered ? Int(cjpeg_decoder_complete_scans(decoder)) : rowCount
    guard seen > shown, state != .header else { return nil }
    shown = seen
    if let target {
      guard case .canvas(let canvas) = target else { return nil }
      return image(try canvas.copy(rows: rowCount), .partial)
    }
    return image(try readPass(), .partial)
  }

  /// The number of refinements of the whole picture: scans as libjpeg counts them, or 1 once all rows are present.
  var completedPasses: Int {
    isBuffered ? Int(cjpeg_decoder_complete_passes(decoder)) : isComplete ? 1 : 0
  }

  /// Converts the coefficients collected so far to pixels.
  private func readPass() throws(ImagingError) -> Bitmap {
    try clock.run { (watch: DecodeLimits.DeadlineChecker) throws(ImagingError) -> Bitmap in
      try watch.check()
      let target = try makeTarget()
      try finished(cjpeg_decoder_start_pass(decoder))
      do throws(ImagingError) {
        var row = 0
        while row < size.height {
          let (read, outcome) = readRows(into: target, from: row)
          try finished(outcome)
          row += read
          try watch.check()
        }
      } catch {
        // A pass may end anywhere; an unfinished one would prevent the next.
        _ = cjpeg_decoder_finish_pass(decoder)
        throw error
      }
      try finished(cjpeg_decoder_finish_pass(decoder))
      return try bitmap(of: target)
    }
  }

  private func image(_ bitmap: Bitmap, _ flaws: DamageReport) -> Image {
    let info = ImageInfo(header).marked(flaws)
    return Image(
      bitmap: bitmap, info: info, orientation: info.orientation, isPartial: flaws.contains(.partial),
      profile: profile, metadata: header.metadata)
  }
}

extension JPEGSession {
  /// Throws for lost data, unless the options accept them.
  ///
  /// - Parameter isComplete: Pass true if the input has been read to its end, so that missing data are lost.
  func checkDamage(isComplete: Bool) throws(ImagingError) {
    let failure: ImagingError
    switch Int(cjpeg_decoder_damage(decoder, isComplete ? 1 : 0)) {
    case CJPEG_INTACT: return
    case CJPEG_TRUNCATED: failure = .truncated(.jpeg, byteCount: windowEnd)
    default: failure = .corrupt(.jpeg, reason: message, offset: offset)
    }
    if !options.accepts(failure) { throw failure }
  }

  /// The flaws of a picture that was read to its end.
  var flaws: DamageReport {
    switch Int(cjpeg_decoder_damage(decoder, 1)) {
    case CJPEG_INTACT: []
    case CJPEG_TRUNCATED: .partial
    default: .damaged
    }
  }

  /// Returns true if a call has completed; false if it waits for input.
  func check(_ outcome: Int32) throws(ImagingError) -> Bool {
    switch Int(outcome) {
    case CJPEG_OK: return true
    case CJPEG_SUSPENDED: return false
    case CJPEG_TOO_MANY_SCANS:
      let limit = options.limits.maxScans
      throw .limitExceeded(.scans, value: limit + 1, limit: limit)
    case CJPEG_OUT_OF_MEMORY: throw .outOfMemory(byteCount: windowEnd)
    case CJPEG_UNSUPPORTED: throw .unsupportedFormat(.jpeg, reason: message)
    default:
      if Int(cjpeg_decoder_damage(decoder, 1)) == CJPEG_TRUNCATED {
        throw .truncated(.jpeg, byteCount: windowEnd)
      }
      throw .corrupt(.jpeg, reason: message, offset: offset)
    }
  }

  /// Checks the result of a call that needs no input.
  func finished(_ outcome: Int32) throws(ImagingError) {
    guard try check(outcome) else { throw .truncated(.jpeg, byteCount: windowEnd) }
  }

  private var message: String {
    let text = String(cString: cjpeg_decoder_message(decoder))
    return text.isEmpty ? "a component has no scan" : text
  }

  /// The approximate position at which the library stopped reading; `nil` if it had read everything.
  private var offset: Int? {
    let unread = cjpeg_decoder_unread(decoder)
    return unread > 2 && unread <= windowEnd ? windowEnd - unread : nil
  }
}
