import CalotypeImaging
import CalotypePlanning
import CalotypeResults

/// The watermarks of one result: those that its options name, and that of the server.
struct LoadedWatermarks: Sendable {
  /// Those that options name.
  var own: [OwnWatermark: LoadedWatermark] = [:]
  /// The pixels of the watermark of the server by its name.
  let server: [String: Bitmap]
  /// Keeps pixels that were decoded.
  let library: WatermarkLibrary?

  /// The facts that planning needs.
  var images: [OwnWatermark: WatermarkImage] { own.mapValues(\.image) }
  /// The bytes that wait together with an order.
  var heldByteCount: Int { own.values.reduce(0) { $0 + $1.heldByteCount } }

  /// Returns the pixels of the watermarks of a plan by name, on the calling thread.
  ///
  /// - Throws: ``Failure`` for one that cannot be decoded.
  func pixels(for plan: RenderPlan, coders: CoderRegistry) throws -> [String: Bitmap] {
    var result = server
    let drawn = plan.watermarks
    for mark in own.values where drawn.contains(mark.image.id) && result[mark.image.id] == nil {
      switch mark.content {
      case .pixels(let bitmap): result[mark.image.id] = bitmap
      case .file(let image):
        do {
          let bitmap = try coders.decode(
            image.source.data, options: WatermarkLibrary.options(for: image.info)
          )
          .bitmap
          library?.keep(bitmap, of: image)
          result[mark.image.id] = bitmap
        } catch {
          throw Failure(error).of("watermark_url")
        }
      }
    }
    return result
  }
}

extension Failure {
  /// The failure with the place that it concerns.
  func of(_ place: String) -> Failure {
    var failure = self
    failure.detail = failure.detail.isEmpty ? place : "\(place): \(failure.detail)"
    return failure
  }
}
