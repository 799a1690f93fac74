#if AVIF
import FoundationEssentials

/// A decoder for the frames of a complete image sequence.
final class AVIFFrameDecoder: FrameDecoding {
  private let data: Data
  private let frames: AVIFFrames

  init(_ data: Data, _ frames: AVIFFrames) throws(ImagingError) {
    (self.data, self.frames) = (data, frames)
    // The AV1 data of the first frame complete the profile.
    _ = try frame(at: 0)
  }

  var info: ImageInfo { frames.info }

  var profile: ColorProfile? { frames.profile }

  func isKeyFrame(_ index: Int) -> Bool { frames.isKeyFrame(index) }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    try data.bytes.withUnsafeBytes { (bytes) throws(ImagingError) in try frames.frame(at: index, in: bytes) }
  }
}
#endif
