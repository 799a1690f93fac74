import CalotypeImaging
import CalotypePlanning
import FoundationEssentials

/// A watermark that options name, whose header is known.
struct LoadedWatermark: Sendable {
  /// The pixels, or the file that they are decoded from.
  enum Content: Sendable {
    /// Pixels.
    case pixels(Bitmap)
    /// A file.
    case file(ShelvedImage)
  }

  /// The name and size.
  let image: WatermarkImage
  /// The pixels, as far as they are there.
  let content: Content
  /// The origin's response; `nil` for text, which never changes.
  let source: SourceBytes?

  /// The bytes that wait together with an order.
  var heldByteCount: Int {
    switch content {
    case .pixels(let bitmap): bitmap.byteCount
    case .file(let image): image.source.data.count
    }
  }
}
