import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

/// The encoded original of an image, shared by all jobs that make something of it.
final class LoadedSource: Sendable {
  let data: Data
  let source: ImageResponse.Source
  let metadata: RecordMetadata
  private let rejected = Lock(false)

  init(data: Data, source: ImageResponse.Source, metadata: RecordMetadata) {
    self.data = data
    self.source = source
    self.metadata = metadata
  }

  /// Whether a decoder refused the bytes: they must not stay in a cache.
  var isRejected: Bool { rejected.withLock { $0 } }

  func reject() {
    rejected.withLock { $0 = true }
  }
}
