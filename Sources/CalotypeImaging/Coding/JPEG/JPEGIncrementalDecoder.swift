import FoundationEssentials

/// Decodes a JPEG while its bytes arrive.
///
/// Bytes wait until a window is full, then libjpeg reads it; what it leaves, less than a segment or a block of
/// pixels, begins the next window.
final class JPEGIncrementalDecoder: IncrementalImageDecoding {
  private let options: DecodeOptions
  private var header: JPEGHeader
  private var session: JPEGSession?
  private var windows: JPEGWindows?
  /// What was not read yet.
  private var waiting: [UInt8] = []
  /// Bytes of the file before those that wait.
  private var readCount = 0
  private var failure: ImagingError?
  private(set) var info: ImageInfo?

  init(options: DecodeOptions) {
    self.options = options
    header = JPEGHeader(keepsMetadata: options.readsMetadata)
  }

  /// One, when the picture is complete. Not an animation.
  var completeFrameCount: Int { session?.isComplete == true ? 1 : 0 }

  func append(_ chunk: Data) throws(ImagingError) {
    if let failure { throw failure }
    do throws(ImagingError) {
      let total = readCount + waiting.count + chunk.count
      guard total <= options.limits.maxBytes else {
        throw .limitExceeded(.bytes, value: total, limit: options.limits.maxBytes)
      }
      if session?.isComplete == true {
        readCount += chunk.count
        return
      }
      waiting.append(contentsOf: chunk)
      // The usual case of small chunks: nothing to do yet.
      if let windows, total < windows.end { return }
      if session == nil, waiting.count < header.neededByteCount { return }
      try decode()
    } catch {
      failure = error
      throw error
    }
  }

  private func decode() throws(ImagingError) {
    if session == nil {
      let waiting = waiting
      try header.walk(waiting.span.bytes)
      guard header.scanOffset != nil else { return }
      try start()
    }
    guard let session, var windows else { return }
    var used = 0
    while !session.isComplete, readCount + waiting.count >= windows.end {
      used += try read(session, from: used, end: windows.end, isFinal: false)
      windows.advance()
    }
    self.windows = windows
    discard(session.isComplete ? waiting.count : used)
  }

  /// Knows what the picture is: makes ready to decode it.
  private func start() throws(ImagingError) {
    guard let scanOffset = header.scanOffset else { return }
    let info = ImageInfo(header)
    let minimumSize = try options.minimumDecodeSize(for: info)
    session = try JPEGSession(header, minimumSize: minimumSize, options: options)
    windows = JPEGWindows(header, scanOffset: scanOffset, allowsPartial: options.allowsPartial)
    self.info = info
  }

  private func read(
    _ session: JPEGSession, from start: Int, end: Int, isFinal: Bool
  ) throws(ImagingError) -> Int {
    let waiting = waiting
    return try waiting.span.bytes.extracting(start..<(end - readCount)).withUnsafeBytes {
      (bytes) throws(ImagingError) in
      try session.read(bytes, end: end, isFinal: isFinal)
    }
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
      throw error
    }
  }

  private func end() throws(ImagingError) -> Image {
    let total = readCount + waiting.count
    guard total > 0 else { throw .emptyInput }
    guard let session, let windows else {
      try header.end(byteCount: total)
      // The header is cut; that it promises too much or is not supported counts for more.
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
