public import CalotypeImaging
import FoundationEssentials

/// The header of an image, with its source: ``ImagePipeline/info(for:)-(ImageRequest)``.
public struct InfoResponse: Sendable {
  /// The description of the original, regardless of the size and the transforms of the request.
  public let info: ImageInfo
  /// Whether the number of frames and their durations are those of the whole image. Otherwise, `frameCount` is the number
  /// that an APNG announces, or that of the frames in the bytes that were loaded.
  public let hasAllFrames: Bool
  /// The number of bytes of the original; `nil` if its server did not declare it.
  public let byteCount: Int?
  /// The number of bytes that were loaded, or read from the disk; 0 for a header from memory.
  public let loadedByteCount: Int
  /// The source of the header.
  public let source: ImageResponse.Source
  /// The original as its server described it.
  public var original: ImageResponse.Original { ImageResponse.Original(provenance) }
  /// Whether the header is known to be stale, as the request, the response or the configuration permits.
  public var isStale: Bool { provenance.isStale }
  /// Facts about the original.
  let provenance: OriginalMetadata

  init(
    _ header: ImageHeader, byteCount: Int?, loadedByteCount: Int, source: ImageResponse.Source,
    provenance: OriginalMetadata
  ) {
    (info, hasAllFrames) = (header.info, header.hasAllFrames)
    (self.byteCount, self.loadedByteCount) = (byteCount, loadedByteCount)
    (self.source, self.provenance) = (source, provenance)
  }

  /// The response as it is found in memory.
  func found(isStale: Bool) -> InfoResponse {
    var provenance = provenance
    provenance.isStale = isStale
    return InfoResponse(
      ImageHeader(info: info, hasAllFrames: hasAllFrames), byteCount: byteCount, loadedByteCount: 0,
      source: .memory, provenance: provenance)
  }

  /// The number of bytes in memory, including the overhead of a cache entry.
  var cost: Int {
    (2 << 10) + info.byteCount + provenance.describingByteCount
  }
}

extension ImageHeader {
  /// The header of a decoded image, whose description has no durations if it comes from a disk cache.
  init(of decoded: ImageInfo) {
    self.init(info: decoded, hasAllFrames: decoded.frameCount == 1 || !decoded.durations.isEmpty)
  }
}
