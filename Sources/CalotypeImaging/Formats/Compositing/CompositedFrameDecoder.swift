import FoundationEssentials

/// A decoder for the composited frames of a complete animation.
final class CompositedFrameDecoder<Frames: AnimationFrames>: FrameDecoding {
  let info: ImageInfo
  let profile: ColorProfile?

  private let data: Data
  private let frames: (UnsafeRawBufferPointer) -> Frames
  private let compositor: FrameCompositor

  /// Creates a decoder of `data`. `frames` makes its frames, which are used while their bytes are valid.
  init(
    _ data: Data, info: ImageInfo, profile: ColorProfile?, limits: DecodeLimits,
    frames: @escaping (UnsafeRawBufferPointer) -> Frames
  ) {
    self.data = data
    self.info = info
    self.profile = profile
    self.frames = frames
    compositor = FrameCompositor(limits)
  }

  var isFramePartial: Bool { compositor.flaws.contains(.partial) }

  var isFrameDamaged: Bool { compositor.flaws.contains(.damaged) }

  func isKeyFrame(_ index: Int) -> Bool {
    data.bytes.withUnsafeBytes { file in
      let frames = frames(file)
      return index >= 0 && index < frames.frameCount && frames.isIndependent(index)
    }
  }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      try compositor.bitmap(at: index, of: frames(file))
    }
  }
}
