import FoundationEssentials

/// A decoder for JPEG that takes bytes as they arrive.
///
/// Bytes wait until a window is full, then libjpeg reads it; the unread rest, less than a segment or a block of pixels,
/// begins the next window.
final class JPEGIncrementalDecoder: IncrementalImageDecoding {
  private let options: DecodeOptions
  private var header: JPEGHeader
  private var session: JPEGSession?
  private var windows: JPEGWindows?
  /// The bytes that have not been read.
  private var waiting = JPEGInputBuffer()
  /// The number of bytes of the file before those that wait.
  private var readCount = 0
  /// The number of bytes to append before there is work to do.
  private var quietByteCount = 0
  private var failure: ImagingError?
  /// The permission to allocate memory for the picture.
  private var grant: DecodeLimits.Grant
  private(set) var info: ImageInfo?

  init(options: DecodeOptions) {
    self.options = options
    header = JPEGHeader(keepsMetadata: options.readsMetadata)
    grant = DecodeLimits.Grant(options.limits)
  }

  /// 1 for a complete picture, which is no animation.
  var completeFrameCount: Int { session?.isComplete == true ? 1 : 0 }

  var completedPasses: Int { session?.completedPasses ?? 0 }

  var profile: ColorProfile? { session?.profile }

  func append(_ chunk: Data) throws(ImagingError) {
    let bytes = chunk.bytes
    let count = bytes.byteCount
    guard count > quietByteCount else {
      quietByteCount -= count
      waiting.append(bytes)
      return
    }
    if let failure { throw failure }
    do throws(ImagingError) {
      let total = readCount + waiting.count + count
      guard total <= options.limits.maxBytes else {
        throw .limitExceeded(.bytes, value: total, limit: options.limits.maxBytes)
      }
      if session?.isComplete == true {
        readCount += count
      } else {
        waiting.append(bytes)
        try decode()
      }
    } catch {
      failure = error
      quietByteCount = 0
      throw error
    }
  }

  private func decode() throws(ImagingError) {
    if session == nil {
      if waiting.count >= header.neededByteCount { try header.walk(waiting.bytes.bytes) }
      if header.scanOffset != nil { try start(byteCount: readCount + waiting.count) }
    }
    if let session, var windows {
      var used = 0
      while !session.isComplete, readCount + waiting.count >= windows.end {
        used += try read(session, from: used, end: windows.end, isFinal: false)
        windows.advance()
      }
      self.windows = windows
      discard(session.isComplete ? waiting.count : used)
    }
    let isComplete = session?.isComplete == true
    let unknown = header.scanOffset == nil ? header.neededByteCount : grant.neededByteCount
    let next = min(windows?.end ?? unknown, options.limits.maxBytes)
    quietByteCount = isComplete ? 0 : max(0, next - 1 - readCount - waiting.count)
  }

  /// Starts the decode after the header, once memory for the picture is permitted.
  private func start(byteCount: Int) throws(ImagingError) {
    guard let scanOffset = header.scanOffset else { return }
    let info = info ?? ImageInfo(header)
    if self.info == nil {
      try JPEGSession.check(header, options)
      self.info = info
    }
    guard try grant.isGiven(for: byteCount, options.fedByteCount(for: info)) else { return }
    let minimumSize = try options.minimumDecodeSize(for: info)
    session = try JPEGSession(header, minimumSize: minimumSize, options: options)
    windows = JPEGWindows(header, scanOffset: scanOffset, allowsPartial: options.keepsPartial)
  }

  private func read(
    _ session: JPEGSession, from start: Int, end: Int, isFinal: Bool
  ) throws(ImagingError) -> Int {
    let window = UnsafeRawBufferPointer(rebasing: waiting.bytes[start..<(end - readCount)])
    return try session.read(window, end: end, isFinal: isFinal)
  }

  private func discard(_ count: Int) {
    waiting.removeFirst(count)
    readCount += count
  }

  func snapshot() throws(ImagingError) -> Image? {
    if let failure { throw failure }
    return try session?.snapshot()
  }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    guard index == 0, completeFrameCount == 1 else {
      throw .invalidParameter(
        name: "index", reason: "\(index) is not below \(completeFrameCount), the number of complete frames")
    }
    return try finish().bitmap
  }

  func finish() throws(ImagingError) -> Image {
    if let failure { throw failure }
    do throws(ImagingError) {
      return try end()
    } catch {
      failure = error
      quietByteCount = 0
      throw error
    }
  }

  private func end() throws(ImagingError) -> Image {
    let total = readCount + waiting.count
    guard total > 0 else { throw .emptyInput }
    if session == nil, let info { try grant.demand(for: total, options.fedByteCount(for: info)) }
    guard let session, let windows else {
      try header.end(byteCount: total)
      // The header is truncated; a limit or an unsupported process takes precedence.
      try JPEGSession.check(header, options)
      throw .truncated(.jpeg, byteCount: total)
    }
    if !session.isComplete {
      guard total >= windows.minimumByteCount else { throw .truncated(.jpeg, byteCount: total) }
      let used = try read(session, from: 0, end: total, isFinal: true)
      discard(used)
    }
    return try session.finish()
  }
}
