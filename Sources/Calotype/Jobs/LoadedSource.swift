import CalotypeCaching
import CalotypeSupport
import FoundationEssentials

/// The encoded original of an image, shared by all jobs that make something of it.
final class LoadedSource: Sendable {
  let data: Data
  let source: ImageResponse.Source
  let metadata: RecordMetadata
  /// Whether the server allows anyone to keep it.
  let isStorable: Bool
  private let rejected = Lock(false)

  init(data: Data, source: ImageResponse.Source, metadata: RecordMetadata, isStorable: Bool = true) {
    self.data = data
    self.source = source
    self.metadata = metadata
    self.isStorable = isStorable
  }

  /// Whether a decoder refused the bytes, or found only part of an image: they must not stay in a cache.
  var isRejected: Bool { rejected.withLock { $0 } }

  func reject() {
    rejected.withLock { $0 = true }
  }
}
