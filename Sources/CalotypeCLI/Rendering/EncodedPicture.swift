import Calotype
import FoundationEssentials

/// The bytes of an image in the output format.
struct EncodedPicture: Sendable {
  let data: Data
  let size: PixelSize
  let format: String
  let fileExtension: String
  /// Whether any frame has only the recoverable pixels.
  let isDamaged: Bool

  init(_ content: Picture.Content, _ wanted: OutputFormat?, _ pixels: PixelOptions) throws(ImagingError) {
    switch content {
    case .animation(let animation):
      let options = pixels.encodeOptions(wanted, source: animation.info.format, isAnimated: true)
      try pixels.checkSettings(of: options.format)
      var damagedFrames = 0
      let frames = animation.source { frame in damagedFrames += frame.isDamaged ? 1 : 0 }
      data = try CoderRegistry.standard.encode(frames, as: options)
      isDamaged = damagedFrames > 0
      let info = try CoderRegistry.standard.probe(data)
      size = info.size
      let made = options.format == .automatic ? info.format : options.format
      (format, fileExtension) = (made.rawValue, made.fileExtension)
    case .still(let image):
      (size, isDamaged) = (image.bitmap.size, image.isDamaged)
      if wanted == .rgba {
        try pixels.checkSettings(of: nil)
        data = image.bitmap.withUnsafeBytes { Data($0) }
        (format, fileExtension) = ("rgba", "rgba")
        return
      }
      let options = pixels.encodeOptions(wanted, source: image.info?.format, isAnimated: false)
      try pixels.checkSettings(of: options.format)
      // Without its orientation: the encoder would rotate an image that is to be written as stored.
      let stored = Image(
        bitmap: image.bitmap, info: image.info, profile: pixels.keepProfile ? image.profile : nil)
      data = try CoderRegistry.standard.encode(pixels.asStored ? stored : image, as: options)
      let made =
        options.format == .automatic ? try CoderRegistry.standard.probe(data).format : options.format
      (format, fileExtension) = (made.rawValue, made.fileExtension)
    }
  }
}
