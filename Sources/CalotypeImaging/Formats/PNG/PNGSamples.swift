import CPixels

/// The samples of a picture in a layout: its header, and the rows to filter.
struct PNGSamples {
  /// The pixels, or indices into a palette, in rows of the picture's width.
  private enum Source {
    case bitmap(Bitmap)
    case indices([UInt8])
  }

  private let source: Source
  let layout: PNGLayout
  let header: PNGHeader

  /// Creates the samples of a bitmap that was part of the survey of the layout.
  ///
  /// - Throws: `encodingFailed` for sizes that PNG lacks.
  init(_ bitmap: Bitmap, _ layout: PNGLayout, isInterlaced: Bool = false) throws(ImagingError) {
    source = .bitmap(bitmap)
    self.layout = layout
    header = try Self.header(bitmap.size, layout, isInterlaced)
  }

  /// Creates samples from indices into a palette, one for each pixel of a picture.
  ///
  /// - Throws: `encodingFailed` for sizes that PNG lacks.
  init(
    indices: [UInt8], into palette: [Palette.Color], size: PixelSize, isInterlaced: Bool = false
  ) throws(ImagingError) {
    source = .indices(indices)
    layout = PNGLayout(indicesInto: palette)
    header = try Self.header(size, layout, isInterlaced)
  }

  private static func header(
    _ size: PixelSize, _ layout: PNGLayout, _ isInterlaced: Bool
  ) throws(ImagingError) -> PNGHeader {
    guard size.width <= Int32.max, size.height <= Int32.max else {
      throw .encodingFailed(.png, reason: "\(size) is too large; each side is at most 2147483647")
    }
    return PNGHeader(
      size: size, bitDepth: layout.depth, colorType: layout.colorType, isInterlaced: isInterlaced)
  }

  /// A Boolean value that indicates whether filters can help: differences of indices mean nothing, and those of samples of
  /// a few bits are taken of whole bytes.
  var filters: Bool { layout.colorType != .indexed && layout.depth >= 8 }

  /// Bytes of a source pixel.
  var bytesPerPixel: Int { Int(layout.store.bytes_per_pixel) }

  /// Calls `body` with the first byte of the source pixels.
  func withPixels(
    _ body: (UnsafePointer<UInt8>) throws(ImagingError) -> Void
  ) throws(ImagingError) {
    switch source {
    case .bitmap(let bitmap):
      try bitmap.withUnsafeBytes { pixels throws(ImagingError) in
        guard let base = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        try body(base)
      }
    case .indices(let indices):
      try indices.withUnsafeBufferPointer { pixels throws(ImagingError) in
        guard let base = pixels.baseAddress else { return }
        try body(base)
      }
    }
  }

  /// Writes the samples of `count` source pixels from `row`, every `step`-th of them, to `target`.
  ///
  /// - Parameter scratch: Room for all source pixels of a row, and a byte for each.
  func write(
    _ row: UnsafePointer<UInt8>, step: Int, count: Int, to target: UnsafeMutablePointer<UInt8>,
    scratch: UnsafeMutablePointer<UInt8>
  ) {
    withUnsafePointer(to: layout.store) { store in
      guard step > 1 else { return cpng_store_row(store, row, count, target, scratch) }
      let size = bytesPerPixel
      for x in 0..<count {
        for byte in 0..<size { scratch[x * size + byte] = row[x * step * size + byte] }
      }
      cpng_store_row(store, scratch, count, target, scratch + count * size)
    }
  }
}
