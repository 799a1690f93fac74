#if JXL
import FoundationEssentials

/// The frames of an animated JPEG XL. Not `Sendable`: one thread at a time.
final class JXLFrames: FrameDecoding {
  let info: ImageInfo
  let profile: ColorProfile?
  private(set) var isFramePartial = false

  private let header: JXLHeader
  private let survey: JXLSurvey
  private let codestream: UnsafeMutableRawBufferPointer
  private let options: DecodeOptions
  private let clock: DecodeLimits.PassStopwatch
  private var reader: JXLReader?
  /// The frame that the reader decodes next.
  private var next = 0
  /// The frame that was decoded last.
  private var last: (index: Int, bitmap: Bitmap)?

  /// Returns `nil` for a file with a single frame.
  ///
  /// - Throws: The errors of ``JXLDecoder/makeFrameDecoder(_:options:)``.
  init?(_ file: JXLFile, _ data: Data, options: DecodeOptions) throws(ImagingError) {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    let (survey, profile, info) = try file.withCodestream(of: data) { (bytes) throws(ImagingError) in
      let reader = try JXLReader(bytes, header: file.header, limits: options.limits, watch: watch)
      try reader.check(options, encodedByteCount: data.count)
      return (reader.survey, reader.profile, reader.info)
    }
    guard survey.frames.count > 1 else { return nil }
    try options.limits.check(totalPixelsOf: info, encodedByteCount: data.count)
    (self.survey, self.profile, self.info) = (survey, profile, info)
    self.options = options
    header = file.header
    clock = DecodeLimits.PassStopwatch(options.limits)
    // The decoder keeps the address between frames.
    let bytes = file.copiedCodestream(of: data)
    codestream = .allocate(byteCount: bytes.count, alignment: 16)
    codestream.copyBytes(from: bytes)
  }

  deinit {
    reader = nil
    codestream.deallocate()
  }

  func isKeyFrame(_ index: Int) -> Bool {
    index == 0 || (survey.frames.indices.contains(index) && survey.frames[index].isIndependent)
  }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    guard survey.frames.indices.contains(index) else {
      throw .invalidParameter(
        name: "frame", reason: "there is no frame \(index); there are \(survey.frames.count)")
    }
    if let last, last.index == index { return last.bitmap }
    return try clock.run(to: index) { (watch) throws(ImagingError) in
      // After an error the next call starts afresh.
      let reader = try positioned(at: index, watch)
      self.reader = nil
      let (bitmap, isPartial) = try reader.frame(options)
      self.reader = isPartial ? nil : reader
      next = index + 1
      last = (index, bitmap)
      isFramePartial = isPartial
      return bitmap
    }
  }

  /// Returns a reader whose next frame is this one.
  private func positioned(
    at index: Int, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> JXLReader {
    let key = (0...index).last { isKeyFrame($0) } ?? 0
    if let reader, (key...index).contains(next) {
      reader.resume(watch)
      reader.skip(index - next)
      return reader
    }
    let reader = try JXLReader(
      UnsafeRawBufferPointer(codestream), header: header, known: survey, limits: options.limits, watch: watch)
    reader.move(to: index, from: key)
    return reader
  }
}
#endif
