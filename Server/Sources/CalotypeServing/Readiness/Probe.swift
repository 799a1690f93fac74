import Calotype
import FoundationEssentials

/// A part of the server that is asked to do a little of its work. None of them touches the network.
enum Probe: Hashable, Sendable {
  /// Decodes and encodes an image of one pixel on the workers.
  case pipeline
  /// Writes a record into the cache of results, if there is a folder for it.
  case disk

  /// A GIF of one pixel.
  private static let image =
    Data(base64Encoded: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7") ?? Data()

  /// Returns whether the part has done it.
  func succeeds(with pipeline: ImagePipeline, _ store: ResultStore) async -> Bool {
    switch self {
    case .pipeline:
      guard let image = try? await pipeline.decode(Self.image, priority: .veryHigh) else { return false }
      return (try? await pipeline.encode(image, as: .png, priority: .veryHigh)) != nil
    case .disk: return await store.isWritable()
    }
  }
}
