import CWebP
import FoundationEssentials

/// A writer that adds the chunks of kept metadata.
struct WebPMetadataWriter {
  private let chunks: [(name: String, bytes: Data)]

  init(_ image: Image, keeps: Set<ImageMetadata.Kind>) {
    var chunks: [(name: String, bytes: Data)] = []
    // WebP pixels are RGB for every source.
    if keeps.contains(.icc), case .icc(let profile) = image.profile, ICCHeader.explains(3, profile) {
      chunks.append(("ICCP", profile))
    }
    let metadata = image.metadata.kept(keeps)
    if let exif = metadata.exif { chunks.append(("EXIF", exif)) }
    if let xmp = metadata.xmp { chunks.append(("XMP ", xmp)) }
    self.chunks = chunks.filter { !$0.bytes.isEmpty }
  }

  /// Returns the file with the chunks; the file itself if there are none.
  ///
  /// - Throws: ``ImagingError/encodingFailed(_:reason:)``, ``ImagingError/outOfMemory(byteCount:)``.
  func add(to file: Data) throws(ImagingError) -> Data {
    if chunks.isEmpty { return file }
    guard let mux = WebPMuxNew() else { throw .outOfMemory(byteCount: file.count) }
    defer { WebPMuxDelete(mux) }
    try Self.check(Self.withData(file) { WebPMuxSetImage(mux, $0, 1) }, byteCount: file.count)
    for chunk in chunks {
      try Self.check(
        Self.withData(chunk.bytes) { WebPMuxSetChunk(mux, chunk.name, $0, 1) }, byteCount: chunk.bytes.count)
    }
    var assembled = WebPData()
    defer { WebPDataClear(&assembled) }
    try Self.check(WebPMuxAssemble(mux, &assembled), byteCount: file.count)
    return try Self.data(assembled)
  }

  /// Returns a file whose picture is replaced by that of another one; all other chunks are kept.
  static func replacingPicture(of file: Data, by picture: Data) throws(ImagingError) -> Data {
    guard let mux = withData(file, { WebPMuxCreate($0, 1) }) else {
      throw .corrupt(.webp, reason: "its chunks cannot be read", offset: nil)
    }
    defer { WebPMuxDelete(mux) }
    try check(withData(picture) { WebPMuxSetImage(mux, $0, 1) }, byteCount: picture.count)
    var assembled = WebPData()
    defer { WebPDataClear(&assembled) }
    try check(WebPMuxAssemble(mux, &assembled), byteCount: file.count)
    return try data(assembled)
  }

  /// Returns a copy of the file that libwebp has assembled.
  static func data(_ assembled: WebPData) throws(ImagingError) -> Data {
    guard let bytes = assembled.bytes, assembled.size > 0 else {
      throw .encodingFailed(.webp, reason: "the encoder wrote nothing")
    }
    return Data(bytes: bytes, count: assembled.size)
  }

  private static func withData<Result>(
    _ data: Data, _ body: (UnsafePointer<WebPData>) -> Result
  ) -> Result {
    data.bytes.withUnsafeBytes { bytes in
      var view = WebPData(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
      return body(&view)
    }
  }

  private static func check(_ result: WebPMuxError, byteCount: Int) throws(ImagingError) {
    if result == WEBP_MUX_MEMORY_ERROR { throw .outOfMemory(byteCount: byteCount) }
    guard result == WEBP_MUX_OK else {
      throw .encodingFailed(
        .webp, reason: "the metadata cannot be added (libwebpmux error \(result.rawValue))")
    }
  }
}
