import CPixels

/// A converter of stored rows to pixels. Every decode uses it, so that all deliver the same bytes.
final class BMPExpander {
  private let level = cpx_best_level()
  /// The colours of indices; `nil` for words.
  private var indexed: UnsafeMutablePointer<cpng_pixels>?
  private var fields: UnsafeMutablePointer<cbmp_fields>?

  /// - Parameters:
  ///   - header: The headers of the bitmap.
  ///   - bytes: The bitmap, at least up to its first pixel, or to its end. Colours that are missing are black.
  init(_ header: BMPHeader, _ bytes: UnsafeRawBufferPointer) {
    guard header.hasPalette else {
      let fields = UnsafeMutablePointer<cbmp_fields>.allocate(capacity: 1)
      header.masks.all.withUnsafeBufferPointer { masks in
        guard let masks = masks.baseAddress else { return }
        cbmp_fields_init(
          fields, CInt(header.bitsPerPixel), masks, header.masks.roundsDown(header.bitsPerPixel) ? 1 : 0)
      }
      self.fields = fields
      return
    }
    var colors: [UInt8] = []
    colors.reserveCapacity(3 * header.paletteCount)
    for index in 0..<header.paletteCount {
      let offset = header.paletteStart + index * header.paletteEntryByteCount
      guard offset + 3 <= bytes.count else { break }
      colors += [bytes[offset + 2], bytes[offset + 1], bytes[offset]]
    }
    let pixels = UnsafeMutablePointer<cpng_pixels>.allocate(capacity: 1)
    let palette = CInt(PNGHeader.ColorType.indexed.rawValue)
    cpng_pixels_init(
      pixels, palette, CInt(header.bitsPerPixel), CPNG_RGBA8, colors, colors.count / 3, nil, 0)
    indexed = pixels
  }

  deinit {
    indexed?.deallocate()
    fields?.deallocate()
  }

  /// Converts a row of `count` pixels.
  func expand(_ row: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, count: Int) {
    if let indexed { cpng_expand(indexed, row, target, count, level) }
    if let fields { cbmp_expand(fields, row, target, count, level) }
  }

  /// Returns the pixel of an index, in the order of memory.
  func pixel(of index: UInt8) -> UInt32 {
    guard let indexed else { return 0 }
    // The table is the first field.
    return UnsafeRawPointer(indexed).load(fromByteOffset: 4 * Int(index), as: UInt32.self)
  }
}
