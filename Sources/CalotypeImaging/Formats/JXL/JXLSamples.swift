#if JXL
import FoundationEssentials

/// A picture as the encoder takes it: grey, grey and alpha, RGB or RGBA.
struct JXLSamples {
  let bitmap: Bitmap
  let profile: Data?
  /// The number of samples of a pixel to encode, at most those of the bitmap.
  let channelCount: Int
  var bits: Int { bitmap.format == .rgba16 ? 16 : 8 }

  /// Takes a still picture; an opaque one without its alpha.
  init(_ bitmap: Bitmap, profile: Data?) throws(ImagingError) {
    try Self.check(bitmap.size)
    self.bitmap = bitmap
    self.profile = profile
    channelCount = bitmap.format == .gray8 ? 1 : bitmap.isOpaque ? 3 : 4
  }

  /// Takes a frame of an animation, whose frames are alike.
  init(rgba bitmap: Bitmap) throws(ImagingError) {
    try Self.check(bitmap.size)
    self.bitmap = try bitmap.converted(to: .rgba8)
    profile = nil
    channelCount = 4
  }

  private static func check(_ size: PixelSize) throws(ImagingError) {
    guard size.width <= JXLEncoder.maxSide, size.height <= JXLEncoder.maxSide else {
      throw .invalidParameter(
        name: "size",
        reason: "JPEG XL is written with sides of at most \(JXLEncoder.maxSide) pixels, not \(size)")
    }
  }

  /// Calls `body` with the samples, without alpha if it is left out.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Result
  ) throws(ImagingError) -> Result {
    guard channelCount == 3 else { return try bitmap.withUnsafeBytes(body) }
    let sample = bits / 8
    let (pixel, stored) = (3 * sample, 4 * sample)
    let pool = PixelPool.shared
    let byteCount = bitmap.size.pixelCount * pixel
    guard let packed = pool.take(byteCount: byteCount), let target = packed.baseAddress else {
      throw .outOfMemory(byteCount: byteCount)
    }
    defer { pool.giveBack(packed) }
    bitmap.withUnsafeBytes { source in
      guard let source = source.baseAddress else { return }
      for index in 0..<bitmap.size.pixelCount {
        (target + index * pixel).copyMemory(from: source + index * stored, byteCount: pixel)
      }
    }
    return try body(UnsafeRawBufferPointer(rebasing: packed[..<byteCount]))
  }
}
#endif
