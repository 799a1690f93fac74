extension Bitmap {
  /// Makes an rgba8 bitmap from this rgba8 bitmap in batches of rows that take a few milliseconds each, and checks
  /// `Task.isCancelled` between them.
  ///
  /// - Parameters:
  ///   - costPerPixel: The approximate time per pixel of the result, in nanoseconds.
  ///   - isOpaque: Pass true if all pixels of the result will be opaque.
  ///   - make: Makes some rows; its arguments are both pictures from their first pixel on.
  func mapRows(
    to size: PixelSize, costPerPixel: Int = 1, isOpaque: Bool, pool: PixelPool = .shared,
    _ make: (
      _ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, _ rows: Range<Int>
    ) -> Void
  ) throws(ImagingError) -> Bitmap {
    try Bitmap(size: size, pool: pool) { (target: UnsafeMutableRawBufferPointer) throws(ImagingError) in
      try withUnsafeBytes { (source: UnsafeRawBufferPointer) throws(ImagingError) in
        guard let from = source.bindMemory(to: UInt8.self).baseAddress,
          let to = target.bindMemory(to: UInt8.self).baseAddress
        else { return }
        let batch = max(1, 4_000_000 / max(1, costPerPixel * size.width))
        var row = 0
        while row < size.height {
          if Task.isCancelled { throw .cancelled }
          let end = min(size.height, row + batch)
          make(from, to, row..<end)
          row = end
        }
      }
      return isOpaque
    }
  }
}
