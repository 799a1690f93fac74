import CGIF

/// A decoder of the palette indices of one frame, as far as there are bytes. Not `Sendable`: one thread at a time.
final class GIFFrameReader {
  /// The frame.
  let frame: GIFFrame
  /// The number of indices of the complete frame.
  let capacity: Int

  /// The pool of ``indices``; `nil` if the caller owns them.
  private let pool: PixelPool?
  private let indices: UnsafeMutableRawBufferPointer
  private let lzw: UnsafeMutablePointer<cgif_lzw>
  private var status = CGIF_LZW_MORE
  private var codeSize: UInt8?
  private var offset: Int
  /// Bytes of the current sub-block that have not been read.
  private var remaining = 0
  private var isTerminated = false

  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``.
  init(_ frame: GIFFrame, pool: PixelPool) throws(ImagingError) {
    self.frame = frame
    self.pool = pool
    capacity = frame.size.pixelCount
    offset = frame.dataStart
    let byteCount = Self.byteCount(for: frame)
    guard let indices = pool.take(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
    self.indices = indices
    lzw = .allocate(capacity: 1)
    lzw.pointee.written = 0
  }

  /// Creates a reader that decodes into the end of memory that outlives it, of at least ``byteCount(for:)`` bytes.
  init(_ frame: GIFFrame, atEndOf memory: UnsafeMutableRawBufferPointer) {
    self.frame = frame
    pool = nil
    capacity = frame.size.pixelCount
    offset = frame.dataStart
    let start = memory.count - Self.byteCount(for: frame)
    // No input can violate this: the caller allocated the memory with this very number.
    precondition(start >= 0)
    indices = UnsafeMutableRawBufferPointer(rebasing: memory[start...])
    lzw = .allocate(capacity: 1)
    lzw.pointee.written = 0
  }

  /// Returns the memory that the indices of a frame take while they are decoded, in bytes.
  static func byteCount(for frame: GIFFrame) -> Int { frame.size.pixelCount + Int(CGIF_LZW_SLACK) }

  deinit {
    lzw.deallocate()
    pool?.giveBack(indices)
  }

  /// The number of indices decoded so far.
  var count: Int { lzw.pointee.written }

  /// A Boolean value that indicates whether more bytes cannot change anything.
  var isDone: Bool {
    status != CGIF_LZW_MORE || isTerminated || codeSize.map { !(1...8).contains($0) } ?? false
  }

  /// The decoded indices, rows in stored order.
  var decoded: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: UnsafeBufferPointer(indices.bindMemory(to: UInt8.self))[..<count])
  }

  /// Decodes as far as the bytes reach; the argument is the file from its beginning. Damage is only reported by
  /// `finish`.
  ///
  /// - Throws: The errors of `watch`.
  func read(_ file: UnsafeRawBufferPointer, watch: DecodeLimits.DeadlineChecker) throws(ImagingError) {
    guard !isDone, let source = file.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let target = indices.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return }
    if codeSize == nil {
      guard frame.dataStart <= file.count else { return }
      let size = file[frame.dataStart - 1]
      codeSize = size
      guard (1...8).contains(size) else { return }
      cgif_lzw_start(lzw, UInt32(size))
    }
    var blockCount = 0
    while status == CGIF_LZW_MORE, offset < file.count {
      if remaining == 0 {
        remaining = Int(file[offset])
        offset += 1
        if remaining == 0 {
          isTerminated = true
          return
        }
        if blockCount & 63 == 0 { try watch.check() }
        blockCount += 1
      }
      let count = min(remaining, file.count - offset)
      status = cgif_lzw_feed(lzw, source + offset, count, target, capacity)
      offset += count
      remaining -= count
    }
  }

  /// Ends the input and returns the flaws of the frame.
  ///
  /// - Parameter mayBeEmpty: Pass true if a frame without a single index can be shown, as the frame before it.
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` and ``ImagingError/truncated(_:byteCount:)`` unless the
  ///   options accept that and there is at least one index.
  func finish(
    byteCount: Int, options: DecodeOptions, mayBeEmpty: Bool = false
  ) throws(ImagingError) -> DamageReport {
    guard let failure = failure(byteCount: byteCount) else { return [] }
    guard count > 0 || mayBeEmpty, options.accepts(failure) else { throw failure }
    return DamageReport(failure)
  }

  /// Returns the error for missing indices after the last byte; `nil` if all are present.
  private func failure(byteCount: Int) -> ImagingError? {
    if count == capacity { return nil }
    guard let codeSize else { return .truncated(.gif, byteCount: byteCount) }
    guard (1...8).contains(codeSize) else {
      return .corrupt(
        .gif, reason: "the LZW code size is \(codeSize), not 1 to 8", offset: frame.dataStart - 1)
    }
    let end = min(offset + remaining, byteCount)
    switch status {
    case CGIF_LZW_BAD_CODE:
      return .corrupt(.gif, reason: "there is an LZW code that nothing defines", offset: end)
    case CGIF_LZW_MORE where !isTerminated:
      return .truncated(.gif, byteCount: byteCount)
    default:
      return .corrupt(.gif, reason: "the frame ends after \(count) of \(capacity) pixels", offset: end)
    }
  }
}
