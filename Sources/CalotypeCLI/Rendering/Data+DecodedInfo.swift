import Calotype
import FoundationEssentials

extension Data {
  /// Decodes all frames, and returns the header; it is marked as damaged if any frame is.
  ///
  /// - Throws: The error of the first frame that the policy does not accept.
  func decodedInfo(
    _ coders: CoderRegistry, formatHint: ImageFormat?, _ damage: DamagePolicy
  ) throws(ImagingError) -> ImageInfo {
    let image = try AnimatedImage(
      data: self, coders: coders, options: DecodeOptions(damage: damage, formatHint: formatHint))
    var info = image.info
    for index in 0..<image.frameCount where try image.frame(at: index).isDamaged { info.isDamaged = true }
    return info
  }
}
