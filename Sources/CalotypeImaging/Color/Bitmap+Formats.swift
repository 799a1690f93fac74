extension Bitmap {
  /// Returns the picture in another pixel format; the bitmap itself if it already has it.
  ///
  /// | from | to | how |
  /// | --- | --- | --- |
  /// | ``PixelFormat/rgba16`` | ``PixelFormat/rgba8`` | rounded: `(v * 255 + 32895) >> 16` |
  /// | ``PixelFormat/rgba8`` | ``PixelFormat/rgba16`` | `v * 257` |
  /// | ``PixelFormat/gray8`` | ``PixelFormat/rgba8`` | the grey three times, opaque |
  /// | ``PixelFormat/rgba8`` | ``PixelFormat/gray8`` | luma of BT.601; exact for greys; alpha is dropped |
  /// | ``PixelFormat/cmyk8`` | ``PixelFormat/rgba8`` | the plain product of light, `((255-C)(255-K)+127)/255`, opaque |
  ///
  /// Other pairs go through ``PixelFormat/rgba8``. Colours are not managed; see
  /// ``converted(from:keepsGray:limits:pool:)``.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for ``PixelFormat/cmyk8``, which is no target of a
  ///   conversion; ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
  public func converted(to format: PixelFormat, pool: PixelPool = .shared) throws(ImagingError) -> Bitmap {
    if format == self.format { return self }
    switch (self.format, format) {
    case (_, .cmyk8):
      throw .invalidParameter(name: "format", reason: "nothing is converted to CMYK")
    case (.rgba16, .rgba8):
      return try remade(as: .rgba8, isOpaque: isOpaque, pool: pool) { source, target, pixels in
        let from = source.bindMemory(to: UInt16.self)
        for index in (4 * pixels.lowerBound)..<(4 * pixels.upperBound) {
          target[index] = UInt8(truncatingIfNeeded: (UInt32(from[index]) * 255 + 32895) >> 16)
        }
      }
    case (.rgba8, .rgba16):
      return try remade(as: .rgba16, isOpaque: isOpaque, pool: pool) { source, target, pixels in
        let to = target.bindMemory(to: UInt16.self)
        for index in (4 * pixels.lowerBound)..<(4 * pixels.upperBound) {
          to[index] = UInt16(source[index]) &* 257
        }
      }
    case (.gray8, .rgba8):
      return try remade(as: .rgba8, isOpaque: true, pool: pool) { source, target, pixels in
        let to = target.bindMemory(to: UInt32.self)
        for index in pixels {
          to[index] = UInt32(littleEndian: UInt32(source[index]) &* 0x01_0101 | 0xFF00_0000)
        }
      }
    case (.rgba8, .gray8):
      return try remade(as: .gray8, isOpaque: true, pool: pool) { source, target, pixels in
        for index in pixels {
          target[index] = Luma.of(
            red: source[4 * index], green: source[4 * index + 1], blue: source[4 * index + 2])
        }
      }
    case (.cmyk8, .rgba8):
      return try remade(as: .rgba8, isOpaque: true, pool: pool) { source, target, pixels in
        for index in pixels {
          let light = 255 - UInt32(source[4 * index + 3])
          for sample in 0..<3 {
            let product = (255 - UInt32(source[4 * index + sample])) * light
            target[4 * index + sample] = UInt8(truncatingIfNeeded: (product + 127) / 255)
          }
          target[4 * index + 3] = 255
        }
      }
    case (.gray8, _), (.rgba16, _), (.cmyk8, _), (.rgba8, .rgba8):
      return try converted(to: .rgba8, pool: pool).converted(to: format, pool: pool)
    }
  }

  /// Returns a bitmap of the same size whose pixels `body` writes, range by range; checks for cancellation between
  /// them.
  private func remade(
    as format: PixelFormat, isOpaque: Bool, pool: PixelPool,
    _ body: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer, Range<Int>) -> Void
  ) throws(ImagingError) -> Bitmap {
    try Bitmap(size: size, format: format, pool: pool) { target throws(ImagingError) in
      try withUnsafeBytes { source throws(ImagingError) in
        let batch = 1 << 18
        for start in stride(from: 0, to: size.pixelCount, by: batch) {
          if Task.isCancelled { throw .cancelled }
          body(source, target, start..<min(start + batch, size.pixelCount))
        }
      }
      return isOpaque
    }
  }
}
