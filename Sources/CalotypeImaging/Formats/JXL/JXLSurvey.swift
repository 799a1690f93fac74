/// The frames of a codestream by their headers: the times of those that are shown, and the memory that all need, before
/// any pixel is decoded.
struct JXLSurvey: Hashable, Sendable {
  /// A frame that is shown, with the layers it consists of.
  struct Frame: Hashable, Sendable {
    var ticks: UInt32 = 0
    /// The position of its first layer.
    var offset: Int
    /// A Boolean value that indicates whether it depends on no earlier frame that is shown.
    var isIndependent = true
  }

  /// The frames that are shown.
  private(set) var frames: [Frame] = []
  /// A Boolean value that indicates whether the codestream ends before its last frame.
  private(set) var isCut = false
  /// Pixels of the largest stored frame.
  private(set) var largestPixelCount = 0
  /// Pixels of the frames that libjxl keeps for later ones, at most at a time.
  private(set) var keptPixelCount = 0
  /// A Boolean value that indicates whether any frame is stored as it is, without transforms to frequencies.
  private(set) var isAnyModular = false
  /// Pixels of all stored frames.
  private(set) var totalPixelCount = 0

  /// The largest number of hidden frames and layers for each frame that is shown, beyond the first ones.
  private static let maxLayers = 4096

  /// Walks over the headers of the frames.
  ///
  /// - Parameters:
  ///   - codestream: The codestream.
  ///   - start: The position behind its header.
  ///   - header: Its header.
  ///   - onlyFirst: Pass true to stop behind the first frame that is shown.
  ///   - limits: The limits on the pixels of each frame, on their sides and on the number of frames.
  /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)``, ``ImagingError/corrupt(_:reason:offset:)``,
  ///   ``ImagingError/unsupportedFormat(_:reason:)``.
  init(
    _ codestream: UnsafeRawBufferPointer, from start: Int, header: JXLHeader, onlyFirst: Bool,
    limits: DecodeLimits
  ) throws(ImagingError) {
    var offset = start
    var isPreview = header.preview != nil
    var kept = [Int](repeating: 0, count: 8)
    var next = Frame(offset: start)
    var layers = 0
    while true {
      let frame: JXLFrameHeader
      do throws(ImagingError) {
        frame = try JXLFrameHeader(
          codestream, at: offset, header: header,
          canvas: isPreview ? header.preview ?? header.size : header.size)
      } catch {
        guard error.needsMoreBytes else { throw error }
        isCut = true
        break
      }
      try limits.check(size: frame.size, format: .jxl)
      if let end = frame.end, end > codestream.count { isCut = true }
      if !isPreview {
        note(frame, &kept)
        next.isIndependent =
          next.isIndependent && frame.isIndependent && (frame.kind != .regular || layers == 0)
        layers += 1
        if frame.isLast || frame.ticks > 0 {
          next.ticks = frame.ticks
          frames.append(next)
          try limits.check(frameCount: frames.count)
          layers = 0
        }
        guard layers <= Self.maxLayers else {
          throw .unsupportedFormat(.jxl, reason: "a frame has more than \(Self.maxLayers) layers")
        }
        if frame.isLast || (onlyFirst && !frames.isEmpty) { break }
      }
      isPreview = false
      guard let end = frame.end else {
        throw .unsupportedFormat(
          .jxl, reason: "the sections of a frame that is not the last are out of order")
      }
      guard end < codestream.count else {
        isCut = true
        break
      }
      offset = end
      if layers == 0 { next = Frame(offset: offset) }
    }
  }

  private mutating func note(_ frame: JXLFrameHeader, _ kept: inout [Int]) {
    let pixels = frame.size.pixelCount
    largestPixelCount = max(largestPixelCount, pixels)
    totalPixelCount = min(totalPixelCount, .max - pixels) + pixels
    isAnyModular = isAnyModular || frame.isModular
    guard let slot = frame.slot else { return }
    kept[slot] = pixels
    keptPixelCount = max(keptPixelCount, kept.reduce(0) { min($0, .max - $1) + $1 })
  }
}
