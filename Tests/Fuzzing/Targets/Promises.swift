import CalotypeImaging
import Glibc

/// What holds for every result of a decoder.
enum Promises {
  /// The result of a call, unless its error is one that no input may cause.
  static func result<Value>(
    _ body: () throws(ImagingError) -> Value
  ) throws(FuzzFailure) -> Result<Value, ImagingError> {
    do throws(ImagingError) {
      return .success(try body())
    } catch {
      switch error {
      case .cancelled, .outOfMemory, .encodingFailed, .limitExceeded(.duration, _, _):
        throw FuzzFailure("unexpected error: \(error)")
      default:
        try FuzzFailure.unless(!error.description.isEmpty && !error.code.isEmpty, "an error without words")
        return .failure(error)
      }
    }
  }

  static func check(_ bitmap: Bitmap, _ limits: DecodeLimits) throws(FuzzFailure) {
    let pixels = bitmap.size.pixelCount
    try FuzzFailure.unless(pixels <= limits.maxPixels, "\(bitmap.size) pixels are more than allowed")
    let isOpaque = bitmap.withUnsafeBytes { bytes in
      switch bitmap.format {
      case .rgba8: return stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 }
      case .rgba16:
        let samples = bytes.assumingMemoryBound(to: UInt16.self)
        return stride(from: 3, to: samples.count, by: 4).allSatisfy { samples[$0] == .max }
      case .gray8, .cmyk8: return true
      }
    }
    try FuzzFailure.unless(isOpaque || !bitmap.isOpaque, "a bitmap is marked opaque and is not")
  }

  static func checkSame(_ a: Image, _ b: Image, _ what: String) throws(FuzzFailure) {
    try FuzzFailure.unless(a.bitmap.size == b.bitmap.size, "\(what): \(a.bitmap.size), \(b.bitmap.size)")
    try FuzzFailure.unless(a.bitmap == b.bitmap, "\(what): the pixels differ")
    try FuzzFailure.unless(
      a.info == b.info, "\(what): \(String(describing: a.info)), \(String(describing: b.info))")
    try FuzzFailure.unless(a.orientation == b.orientation, "\(what): the orientation differs")
    try FuzzFailure.unless(a.isPartial == b.isPartial, "\(what): partial \(a.isPartial), \(b.isPartial)")
    try FuzzFailure.unless(a.profile == b.profile, "\(what): the profile differs")
    try FuzzFailure.unless(a.metadata == b.metadata, "\(what): the metadata differ")
  }

  /// Leaves a buffer in the pool that the next bitmap like this one gets, full of `byte`: a decoder that does not
  /// write all of its pixels then shows them.
  static func soilPool(like bitmap: Bitmap, with byte: Int32) {
    _ = try? Bitmap(size: bitmap.size, format: bitmap.format) { pixels in
      if let base = pixels.baseAddress { memset(base, byte, pixels.count) }
      return false
    }
  }
}
