import CPixels

extension Palette {
  /// Returns the palette index of each pixel of an RGBA8 picture, row by row.
  ///
  /// With `dithers`, the error of each pixel is spread over its neighbours (Floyd and Steinberg 1976), unless the
  /// palette is exact. Flat areas and gradients take it over, where bands would show; texture takes less of it, and pixels
  /// next to edges none, where it would be noise. Transparent pixels neither receive nor pass on errors. With
  /// `hasBinaryAlpha`, an alpha below 128 counts as transparent and any other as opaque.
  ///
  /// - Throws: `invalidParameter` for another pixel format, `outOfMemory`, `cancelled`.
  package func indices(
    of bitmap: Bitmap, dithers: Bool, hasBinaryAlpha: Bool = false
  ) throws(ImagingError) -> [UInt8] {
    guard bitmap.format == .rgba8 else {
      throw .invalidParameter(name: "bitmap", reason: "a palette is for RGBA with 8 bits a sample")
    }
    let bytes = colors.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] }
    guard let search = cpal_search_make(bytes, CInt(colors.count)) else {
      throw .outOfMemory(byteCount: 1 << 18)
    }
    defer { cpal_search_free(search) }
    let (width, height, stride) = (bitmap.width, bitmap.height, bitmap.bytesPerRow)
    guard
      let mapper = cpal_mapper_make(search, width, dithers && !isExact ? 1 : 0, hasBinaryAlpha ? 1 : 0)
    else { throw .outOfMemory(byteCount: 32 * width) }
    defer { cpal_mapper_free(mapper) }
    var result = [UInt8](repeating: 0, count: bitmap.size.pixelCount)
    try bitmap.withUnsafeBytes { bytes throws(ImagingError) in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      for y in 0..<height {
        if y % 16 == 0, Task.isCancelled { throw .cancelled }
        let row = base + y * stride
        result.withUnsafeMutableBufferPointer { indices in
          guard let indices = indices.baseAddress else { return }
          cpal_map_row(
            mapper, row, y > 0 ? row - stride : nil, y + 1 < height ? row + stride : nil, indices + y * width)
        }
      }
    }
    return result
  }
}
