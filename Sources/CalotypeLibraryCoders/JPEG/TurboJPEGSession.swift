import CLibTurboJPEG
import CalotypeImaging
import FoundationEssentials

/// A decompressor of TurboJPEG. It is used by one thread at a time.
final class TurboJPEGSession {
  private let handle: tjhandle

  /// - Throws: `ImagingError.outOfMemory(byteCount:)`.
  init() throws(ImagingError) {
    guard let handle = tjInitDecompress() else { throw .outOfMemory(byteCount: 1 << 16) }
    self.handle = handle
  }

  deinit {
    tjDestroy(handle)
  }

  /// Decodes a whole picture and returns true if the library had to conceal damage.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - target: `size` times the bytes per pixel of `layout`; all are written unless an error is thrown or damage
  ///     allowed.
  ///   - size: The size of the picture, or its size at one of the scales.
  ///   - layout: The layout of the pixels.
  ///   - allowsDamage: Pass true to deliver a picture with damage.
  /// - Throws: `ImagingError.truncated(_:byteCount:)`, `ImagingError.corrupt(_:reason:offset:)`,
  ///   `ImagingError.outOfMemory(byteCount:)`.
  func decode(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, size: PixelSize,
    layout: TJPF, allowsDamage: Bool
  ) throws(ImagingError) -> Bool {
    let samples = layout == TJPF_GRAY ? 1 : 4
    precondition(target.count == size.pixelCount * samples)
    let outcome = tjDecompress2(
      handle, source.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt(source.count),
      target.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(size.width),
      Int32(size.width * samples), Int32(size.height), Int32(layout.rawValue), TJFLAG_ACCURATEDCT)
    if outcome == 0 { return false }
    let isWarning = tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue)
    if isWarning, allowsDamage { return true }
    let message = String(cString: tjGetErrorStr2(handle))
    if message.hasPrefix("Premature end") { throw .truncated(.jpeg, byteCount: source.count) }
    if message.hasPrefix("Insufficient memory") { throw .outOfMemory(byteCount: target.count) }
    // Unsupported files were refused by their header; this error is about segments behind the picture.
    throw .corrupt(.jpeg, reason: message, offset: nil)
  }
}
