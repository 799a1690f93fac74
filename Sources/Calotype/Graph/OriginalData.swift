import CalotypeCaching
import CalotypeImaging
import CalotypeSupport
import FoundationEssentials

/// The encoded original of an image, shared by all jobs that use it.
final class OriginalData: Sendable {
  let data: Data
  /// The information in the header, if it has been read.
  let info: ImageInfo?
  let source: ImageResponse.Source
  let provenance: OriginalMetadata
  let metadata: RecordMetadata
  let log: StageLog
  /// The number of bytes reserved for it.
  let reservedBytes: Int
  /// The hash of the bytes, if it has been computed.
  let content: KeyedHash?
  /// The sizes that are wanted of it now.
  let orders = DecodeRequestQueue()
  private let rejected = Lock(false)

  init(
    data: Data, info: ImageInfo? = nil, source: ImageResponse.Source, metadata: RecordMetadata,
    provenance: OriginalMetadata,
    log: StageLog = StageLog(), reservedBytes: Int = 0, content: KeyedHash? = nil
  ) {
    self.content = content
    self.data = data
    self.info = info
    self.source = source
    self.metadata = metadata
    self.provenance = provenance
    self.log = log
    self.reservedBytes = reservedBytes
  }

  /// Whether a decoder rejected the bytes, or found only part of an image: they must not stay in a cache.
  var isRejected: Bool { rejected.withLock { $0 } }

  func reject() {
    rejected.withLock { $0 = true }
  }
}

extension DataResponse {
  init(_ loaded: OriginalData) {
    self.init(
      data: loaded.data, source: loaded.source, contentType: loaded.metadata.contentType,
      original: ImageResponse.Original(loaded.provenance), isStale: loaded.provenance.isStale)
  }
}
