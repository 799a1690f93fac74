#if JXL
import Calotype
import CalotypeSupport
import FoundationEssentials

extension Rendering {
  /// Makes a JPEG XL of a JPEG, or the JPEG of such a JPEG XL, with every bit of it; `nil` for all other formats, and
  /// unless losslessness is the only wish.
  func transcoded(
    to wanted: OutputFormat?, request: ImageRequest, watch: ((LoadEvent) -> Void)?
  ) async throws -> Product? {
    guard pixels.lossless, !pixels.changesMoreThanFormat, let format = wanted?.imageFormat,
      format == .jxl || format == .jpeg
    else { return nil }
    let served = try await served(for: request, watch: watch)
    let info = try await probed(served, request)
    try check(info, for: request)
    let data = served.data
    switch (info.format, format) {
    case (.jpeg, .jxl):
      let made: Data
      do {
        made = try await files.run { () throws(ImagingError) in try JXLTranscoder.jxl(from: data) }
      } catch ImagingError.unsupportedFormat, ImagingError.encodingFailed {
        // The pixels are kept.
        return nil
      }
      return Product(transcoding: served, info, to: .jxl, made)
    case (.jxl, .jpeg):
      let made = try await files.run { () throws(ImagingError) in try JXLTranscoder.jpeg(from: data) }
      return Product(transcoding: served, info, to: .jpeg, made)
    default: return nil
    }
  }
}
#endif
