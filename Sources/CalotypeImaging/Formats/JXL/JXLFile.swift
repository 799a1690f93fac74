#if JXL
import FoundationEssentials

/// The header of a JPEG XL file and the place of its codestream.
struct JXLFile {
  let header: JXLHeader
  private let codestream: JXLCodestream

  /// Reads the header and checks its size.
  ///
  /// - Throws: ``ImagingError/truncated(_:byteCount:)``, ``ImagingError/corrupt(_:reason:offset:)``,
  ///   ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  init(_ data: Data, limits: DecodeLimits) throws(ImagingError) {
    guard ImageFormat.sniff(data.prefix(ImageFormat.sniffLength)) == .jxl else {
      throw data.isEmpty ? .emptyInput : .unrecognizedFormat(hint: nil)
    }
    codestream = try JXLCodestream(data.bytes, limit: .max)
    guard let header = try JXLHeader(codestream.bytes(of: data.bytes)) else {
      throw codestream.isComplete || codestream.byteCount >= JXLCodestream.headerLimit
        ? .corrupt(.jxl, reason: "the codestream ends within its header", offset: nil)
        : .truncated(.jxl, byteCount: data.count)
    }
    try limits.check(size: header.size, format: .jxl)
    self.header = header
  }

  /// Calls `body` with the codestream in one piece: in place, or copied if it is in several parts.
  func withCodestream<Result>(
    of data: Data, _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Result
  ) throws(ImagingError) -> Result {
    if let part = codestream.parts.first, codestream.parts.count == 1 {
      return try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
        try body(UnsafeRawBufferPointer(rebasing: file[part]))
      }
    }
    return try copiedCodestream(of: data).withUnsafeBufferPointer { (bytes) throws(ImagingError) in
      try body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Returns a copy of the codestream.
  func copiedCodestream(of data: Data) -> [UInt8] { codestream.bytes(of: data.bytes, count: .max) }
}
#endif
