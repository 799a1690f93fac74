extension DecodeLimits {
  /// Returns the bytes of memory that ``maxExpansion`` grants to a decode of this number of encoded bytes.
  private func expandedByteCount(of byteCount: Int) -> Int {
    expanded(byteCount, by: max(0, maxExpansion), beyond: unquestionedBytes)
  }

  private func expanded(_ byteCount: Int, by factor: Int, beyond start: Int) -> Int {
    let (product, overflow) = max(0, byteCount).multipliedReportingOverflow(by: factor)
    let (sum, overflow2) = product.addingReportingOverflow(start)
    return overflow || overflow2 ? .max : sum
  }

  /// Pixels of frames that ``maxExpansion`` allows for each byte of memory: screen recordings with few changes take one
  /// byte for hundreds of pixels.
  private static let framePixelsPerByte = 8

  /// Returns the number of encoded bytes at which ``maxExpansion`` grants so much memory.
  private func encodedByteCount(for predicted: Int) -> Int {
    let surplus = predicted - unquestionedBytes
    guard surplus > 0 else { return 0 }
    guard maxExpansion > 0 else { return .max }
    return surplus / maxExpansion + (surplus % maxExpansion > 0 ? 1 : 0)
  }

  /// Refuses a decode that would take more than ``maxMemoryBytes``.
  func check(predictedByteCount predicted: Int) throws(ImagingError) {
    guard predicted <= maxMemoryBytes else {
      throw .limitExceeded(.memory, value: predicted, limit: maxMemoryBytes)
    }
  }

  /// Refuses a decode that would take too much memory, in absolute terms or in proportion to its encoded bytes.
  func check(predictedByteCount predicted: Int, encodedByteCount: Int) throws(ImagingError) {
    try check(predictedByteCount: predicted)
    let limit = expandedByteCount(of: encodedByteCount)
    guard predicted <= limit else { throw .limitExceeded(.expansion, value: predicted, limit: limit) }
  }

  /// Refuses an animation whose frames are too much work in total, each counted as large as the delivered canvas.
  func check(totalPixelsOf info: ImageInfo, encodedByteCount: Int) throws(ImagingError) {
    let (canvases, overflow) = info.size.pixelCount.multipliedReportingOverflow(by: info.frameCount)
    // Frames of a GIF may be larger than its canvas.
    let total = overflow ? Int.max : max(canvases, info.layout.frames.totalPixelCount)
    guard total <= maxTotalPixels else {
      throw .limitExceeded(.totalPixels, value: total, limit: maxTotalPixels)
    }
    let factor = max(0, maxExpansion).multipliedReportingOverflow(by: Self.framePixelsPerByte)
    let limit = expanded(
      encodedByteCount, by: factor.overflow ? .max : factor.partialValue, beyond: unquestionedPixels)
    guard total <= limit else { throw .limitExceeded(.frameExpansion, value: total, limit: limit) }
  }

  /// The permission of an incremental decoder to allocate memory for pixels.
  ///
  /// A header can claim any size: a decode that would take more than the base grant of memory waits until the number of
  /// encoded bytes makes the claim plausible.
  struct Grant {
    private let limits: DecodeLimits
    private var predicted: Int?
    /// The answer, once it is final.
    private(set) var isGiven = false

    init(_ limits: DecodeLimits) {
      self.limits = limits
    }

    /// The number of encoded bytes after which to ask again.
    var neededByteCount: Int { predicted.map { limits.encodedByteCount(for: $0) } ?? 0 }

    /// Returns true once this number of encoded bytes is enough; `prediction` is evaluated once.
    ///
    /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)`` if no number of bytes would be enough.
    mutating func isGiven(
      for byteCount: Int, _ prediction: @autoclosure () -> Int
    ) throws(ImagingError) -> Bool {
      if isGiven { return true }
      let needed = predicted ?? prediction()
      predicted = needed
      try limits.check(predictedByteCount: needed)
      isGiven = byteCount >= neededByteCount
      return isGiven
    }

    /// Gives the permission or throws, for input that has ended.
    ///
    /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)``.
    mutating func demand(for byteCount: Int, _ prediction: @autoclosure () -> Int) throws(ImagingError) {
      guard try !isGiven(for: byteCount, prediction()) else { return }
      try limits.check(predictedByteCount: predicted ?? .max, encodedByteCount: byteCount)
    }
  }
}

extension DecodeOptions {
  /// Refuses a decode of a still image, or of a first frame, that would take too much memory.
  func checkMemory(for info: ImageInfo, encodedByteCount: Int) throws(ImagingError) {
    try limits.check(
      predictedByteCount: workingByteCount(for: info), encodedByteCount: encodedByteCount)
  }

  /// Refuses a decode that needs the whole picture where streaming was planned, if it would take too much memory.
  func checkWholeMemory(for info: ImageInfo, encodedByteCount: Int) throws(ImagingError) {
    try limits.check(predictedByteCount: wholeByteCount(for: info), encodedByteCount: encodedByteCount)
  }

  /// Refuses an animation whose frames would take too much work or memory.
  func checkFrames(of info: ImageInfo, encodedByteCount: Int, isFed: Bool = false) throws(ImagingError) {
    try limits.check(totalPixelsOf: info, encodedByteCount: encodedByteCount)
    try limits.check(
      predictedByteCount: frameByteCount(for: info, isFed: isFed), encodedByteCount: encodedByteCount)
  }
}
