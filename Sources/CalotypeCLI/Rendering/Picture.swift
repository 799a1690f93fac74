import Calotype
import FoundationEssentials

/// The image of a source, before it is encoded: a still image, or an animation whose frames are decoded one
/// by one.
struct Picture: Sendable {
  enum Content: Sendable {
    case still(Image)
    case animation(AnimatedImage)
  }

  let content: Content
  let info: ImageInfo?
  var source: ImageResponse.Source
  var byteCount: Int?

  /// Creates the picture of a response, with its frames if the request selected them.
  init(_ response: ImageResponse) {
    content = response.animation.map { .animation($0) } ?? .still(response.image)
    info = response.image.info
    source = response.source
    byteCount = response.byteCount
  }

  /// Decodes an original, with all frames if the output holds them.
  init(
    _ served: DataResponse, _ coders: CoderRegistry, _ pixels: PixelOptions, _ wanted: OutputFormat?,
    _ hint: ImageFormat?
  ) throws(ImagingError) {
    var options = pixels.decodeOptions
    options.formatHint = hint
    let info = try coders.probe(served.data, formatHint: hint)
    self.info = info
    // An animation that exceeds the limits is treated as a still image.
    let animation =
      pixels.animates(info, as: wanted)
      ? try AnimatedImage(data: served.data, coders: coders, options: options) : nil
    if let animation, animation.frameCount > 1 {
      content = .animation(animation)
    } else {
      content = .still(try coders.decode(served.data, options: options))
    }
    source = served.source
    byteCount = served.data.count
  }
}
