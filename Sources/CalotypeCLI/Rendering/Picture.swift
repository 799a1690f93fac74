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
}
