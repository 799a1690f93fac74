import CalotypeImaging

/// A counter of the scans of a JPEG: each costs a pass over all coefficients, and TurboJPEG has no limit of its own
/// below 500.
enum JPEGScans {
  /// - Parameters:
  ///   - bytes: The file.
  ///   - start: The offset of the data of the first scan.
  ///   - limit: The largest number of scans.
  /// - Throws: `ImagingError.limitExceeded(_:value:limit:)`, `ImagingError.cancelled`.
  static func check(_ bytes: RawSpan, from start: Int, limit: Int) throws(ImagingError) {
    let limit = max(1, limit)
    var (count, offset) = (1, start)
    while let byte = bytes.byte(at: offset) {
      offset += 1
      if offset & 0xFF_FFFF == 0, Task.isCancelled { throw .cancelled }
      // Within data, 0xFF is followed by 0 or the number of a restart; other markers end it.
      guard byte == 0xFF, let marker = bytes.byte(at: offset) else { continue }
      switch marker {
      case 0xD9: return
      case 0xDA:
        count += 1
        guard count <= limit else { throw .limitExceeded(.scans, value: count, limit: limit) }
        offset += 1
      // The contents of these segments may resemble markers.
      case 0xC0...0xC7, 0xC9...0xCF, 0xDB...0xDF, 0xE0...0xEF, 0xFE:
        offset += 1 + Int(bytes.uint16(at: offset + 1, bigEndian: true) ?? 2)
      default: break
      }
    }
  }
}
