import FoundationEssentials

/// All frames of an animation that is there as a whole, composited.
final class CompositedFrameDecoder<Frames: AnimationFrames>: FrameDecoding {
  let info: ImageInfo
  let profile: ColorProfile?

  private let data: Data
  private let frames: (UnsafeRawBufferPointer) -> Frames
  private let compositor: FrameCompositor

  /// - Parameters:
  ///   - data: The encoded animation.
  ///   - frames: Makes the frames of its bytes, which are valid for the call that uses them.
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
