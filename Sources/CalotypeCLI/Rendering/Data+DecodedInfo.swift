import Calotype
import FoundationEssentials

extension Data {
  /// What an image says whose frames can all be decoded; damaged if one of them is.
  ///
  /// - Throws: what is wrong with one of them, unless the policy accepts it.
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
