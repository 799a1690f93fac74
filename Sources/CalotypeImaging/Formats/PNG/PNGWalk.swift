/// A walk over the chunks of a PNG that pauses at the end of the input and resumes once there is more.
struct PNGWalk {
  /// The structure found so far; `nil` before the header.
  private(set) var structure: PNGStructure?
  /// The first byte that the walk has not passed.
  private(set) var offset = PNGHeader.signature.count
  private(set) var frames: PNGFrameCollector?

  private let limits: DecodeLimits
  private var reachedEnd = false
  private var chunks = 0

  init(limits: DecodeLimits) {
    self.limits = limits
  }

  /// Walks over the complete chunks. `bytes` is the input so far.
  ///
  /// - Throws: The errors of ``finish(_:)``; the walk is over then.
  mutating func advance(_ bytes: UnsafeRawBufferPointer) throws(ImagingError) {
    try walk(bytes, isWhole: false)
  }

  /// Returns whether the next chunk, which need not be complete, is the first of the image data.
  func isAtImageData(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var cursor = PNGChunkCursor(bytes, from: offset)
    return (try? cursor.next())?.type == .imageData
  }

  /// Walks over the rest. `bytes` is the whole input.
  ///
  /// Flaws before the image data are errors. Flaws behind it end the walk: the image is already complete, and
  /// ``PNGAnimation/damage`` records the flaw of an animation.
  ///
  /// - Throws: `corrupt`, `truncated` (before the header is complete), `limitExceeded`, `unsupportedFormat`.
  mutating func finish(_ bytes: UnsafeRawBufferPointer) throws(ImagingError) {
    try walk(bytes, isWhole: true)
    guard let structure else { throw .truncated(.png, byteCount: bytes.count) }
    if reachedEnd && structure.isBeforeImageData {
      throw .corrupt(.png, reason: "there is no image data", offset: offset)
    }
    let animation = frames?.finish(truncatedAt: reachedEnd ? nil : bytes.count)
    self.structure?.end(animation: animation, isTruncated: !reachedEnd)
  }

  private mutating func walk(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) throws(ImagingError) {
    guard bytes.count <= limits.maxBytes else {
      throw .limitExceeded(.bytes, value: bytes.count, limit: limits.maxBytes)
    }
    guard bytes.starts(with: PNGHeader.signature.prefix(bytes.count)) else {
      throw .corrupt(.png, reason: "the signature is wrong", offset: 0)
    }
    var cursor = PNGChunkCursor(bytes, from: offset)
    defer { offset = cursor.offset }
    if structure == nil {
      guard let first = try cursor.next() else { return }
      guard first.isComplete || isWhole else { return cursor.back(to: first) }
      let structure = try PNGStructure(first: first, cursor)
      try limits.check(size: structure.header.size, format: .png)
      frames = PNGFrameCollector(canvas: structure.header.size, limits: limits)
      self.structure = structure
    }
    do throws(ImagingError) {
      while !reachedEnd, let chunk = try cursor.next() {
        chunks &+= 1
        if chunks & 4095 == 0, Task.isCancelled { throw .cancelled }
        guard chunk.isComplete || isWhole else { return cursor.back(to: chunk) }
        reachedEnd = chunk.type == .end
        try structure?.add(chunk, cursor)
        try frames?.add(chunk, cursor)
      }
    } catch {
      if structure?.isBeforeImageData ?? true { throw error }
      switch error {
      case .limitExceeded, .cancelled: throw error
      default: break
      }
      frames?.stop(error)
      reachedEnd = true
    }
  }
}
