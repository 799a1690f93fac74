import CPixels
import FoundationEssentials

/// A converter of PNGs to smaller ones with the same pixels. All chunks but those of the pixels are kept, in their order.
enum PNGOptimizer {
  /// Returns a PNG with the same pixels; `nil` for an animated or damaged one, which is left alone.
  ///
  /// - Throws: The errors of decoding and encoding.
  static func optimized(
    _ data: Data, _ options: EncodeOptions, limits: DecodeLimits?
  ) throws(ImagingError) -> Data? {
    let image = try PNGDecoder().decode(
      data, minimumSize: nil, options: .comparing(.native, limits))
    guard let info = image.info, info.format == .png, !info.isDamaged, !image.isPartial else { return nil }
    let chunks = try chunks(of: data)
    guard let first = chunks.first, first.type == .header, first.payload.count == 13 else { return nil }
    // A palette has colours, to which a profile of greys does not apply.
    let isGray = first.payload[9] == 0 || first.payload[9] == 4
    if options.usesPalette, first.payload[9] == 3 || isGray && chunks.contains(where: { $0.type == .profile })
    {
      return nil
    }
    var options = options
    options.keeps = [.icc]
    options.isInterlaced = first.payload[12] == 1
    let bitmap = image.bitmap
    let (samples, stream) = try PNGEncoder.compressed(
      Image(bitmap: bitmap, profile: image.profile), options: options)
    let keepsKind = samples.header.colorType.rawValue == first.payload[9]
    let keepsDepth = keepsKind && samples.header.bitDepth == first.payload[8]
    var writer = PNGFileWriter(samples.header)
    var pixelsAreWritten = false
    for chunk in chunks.dropFirst() {
      switch chunk.type {
      case .palette, .transparency, .end: continue
      case .imageData:
        if pixelsAreWritten { continue }
        writer.add(samples.layout)
        // The background is a colour in the terms of the pixels, and stands behind the palette.
        if keepsDepth, samples.header.colorType != .indexed {
          for background in chunks where background.type == .background {
            writer.add(.background, background.payload)
          }
        }
        writer.addImageData(stream)
        pixelsAreWritten = true
      // They speak of the palette, or of samples of a kind.
      case .background, .paletteHistogram: continue
      case .significantBits where !keepsDepth: continue
      default: writer.add(chunk.type, chunk.payload)
      }
    }
    return pixelsAreWritten ? writer.finish() : nil
  }

  /// Returns the chunks of a file, those of pixels without their contents.
  static func chunks(of data: Data) throws(ImagingError) -> [(type: PNGChunkType, payload: [UInt8])] {
    try data.withUnsafeBytes { bytes in
      Result { () throws(ImagingError) in try chunks(of: bytes) }
    }.get()
  }

  private static func chunks(
    of bytes: UnsafeRawBufferPointer
  ) throws(ImagingError) -> [(type: PNGChunkType, payload: [UInt8])] {
    var found: [(PNGChunkType, [UInt8])] = []
    var cursor = PNGChunkCursor(bytes, from: PNGHeader.signature.count)
    while let chunk = try cursor.next() {
      guard chunk.isComplete else { throw .truncated(.png, byteCount: bytes.count) }
      // The pixels are made anew.
      found.append((chunk.type, chunk.type == .imageData ? [] : Array(bytes[chunk.payload])))
      if chunk.type == .end { break }
    }
    return found
  }
}
