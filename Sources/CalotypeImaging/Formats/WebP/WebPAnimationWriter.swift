import CWebP
import FoundationEssentials

/// A writer of animated WebP by libwebp's animation encoder, which searches for the smallest encoding of the change
/// between frames.
struct WebPAnimationWriter {
  private var config: WebPConfig
  private let options: EncodeOptions

  init(config: WebPConfig, options: EncodeOptions) {
    self.config = config
    self.options = options
  }

  /// - Throws: The errors of ``WebPEncoder/encode(_:options:)-(AnimationSource,_)``.
  func data(of animation: AnimationSource) throws(ImagingError) -> Data {
    guard animation.frameCount > 0, animation.loopCount >= 0 else {
      throw .invalidParameter(name: "animation", reason: "it has no frames, or plays less than never")
    }
    let first = try frame(0, of: animation, size: nil)
    let size = first.bitmap.size
    var settings = WebPAnimEncoderOptions()
    guard WebPAnimEncoderOptionsInit(&settings) != 0 else { throw WebPEncoder.wrongVersion }
    settings.anim_params.loop_count = Int32(min(animation.loopCount, 65535))
    settings.anim_params.bgcolor = 0
    settings.minimize_size = options.effort == .small ? 1 : 0
    settings.allow_mixed = try options.checked(.mixed) ?? 0
    if let distance = try options.checked(.keyFrameMinimum) { settings.kmin = distance }
    if let distance = try options.checked(.keyFrameMaximum) { settings.kmax = distance }
    guard let encoder = WebPAnimEncoderNew(Int32(size.width), Int32(size.height), &settings) else {
      throw .outOfMemory(byteCount: first.bitmap.byteCount)
    }
    defer { WebPAnimEncoderDelete(encoder) }
    var time = 0
    for index in 0..<animation.frameCount {
      let frame = index == 0 ? first : try frame(index, of: animation, size: size)
      try add(frame, at: time, to: encoder)
      // Not 0, because two frames at one time are merged; the format has 24 bits for the duration.
      time += min(max(1, frame.duration.wholeMilliseconds), 0xFF_FFFF)
      guard time <= Int(Int32.max) else {
        throw .encodingFailed(.webp, reason: "the animation is longer than 24 days")
      }
    }
    guard WebPAnimEncoderAdd(encoder, nil, Int32(time), nil) != 0 else { throw error(encoder) }
    var assembled = WebPData()
    defer { WebPDataClear(&assembled) }
    guard WebPAnimEncoderAssemble(encoder, &assembled) != 0 else { throw error(encoder) }
    return try WebPMetadataWriter.data(assembled)
  }

  private func frame(
    _ index: Int, of animation: AnimationSource, size: PixelSize?
  ) throws(ImagingError) -> AnimationSource.Frame {
    if Task.isCancelled { throw .cancelled }
    var frame = try animation.frame(index)
    frame.bitmap = try WebPEncoder.checked(frame.bitmap)
    guard size == nil || size == frame.bitmap.size else {
      throw .invalidParameter(
        name: "animation", reason: "frame \(index) is \(frame.bitmap.size), not as the first")
    }
    return frame
  }

  private func add(
    _ frame: AnimationSource.Frame, at time: Int, to encoder: OpaquePointer
  ) throws(ImagingError) {
    // The encoder compares frames, and does so in RGB only.
    try WebPEncoder.withPicture(of: frame.bitmap, inColors: true) { (picture) throws(ImagingError) in
      var config = config
      guard WebPAnimEncoderAdd(encoder, &picture, Int32(time), &config) != 0 else {
        if picture.error_code == VP8_ENC_OK { throw error(encoder) }
        throw Task.isCancelled ? .cancelled : WebPEncoder.error(picture.error_code, of: frame.bitmap)
      }
    }
  }

  private func error(_ encoder: OpaquePointer) -> ImagingError {
    if Task.isCancelled { return .cancelled }
    let text = WebPAnimEncoderGetError(encoder).map { String(cString: $0) } ?? "unknown"
    return .encodingFailed(.webp, reason: "libwebp says: \(text)")
  }
}
