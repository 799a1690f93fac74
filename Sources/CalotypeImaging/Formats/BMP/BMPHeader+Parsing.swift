extension BMPHeader {
  /// Reads the headers and masks; the palette need not be there.
  ///
  /// - Throws: ``ImagingError/truncated(_:byteCount:)``, ``ImagingError/corrupt(_:reason:offset:)``,
  ///   ``ImagingError/unsupportedFormat(_:reason:)``, ``ImagingError/unrecognizedFormat(hint:)``. The size is not
  ///   checked.
  init(_ bytes: RawSpan, in container: Container) throws(ImagingError) {
    let fields = try BMPFields(bytes, in: container)
    let format = fields.format
    self.format = format
    let method = try Method(fields)
    coding = method.coding
    bitsPerPixel = fields.bitsPerPixel
    isTopDown = fields.height < 0
    let height = Int(fields.height.magnitude)
    size = PixelSize(width: fields.width, height: container == .file ? height : height / 2)
    guard size.width > 0, size.height > 0 else {
      throw .corrupt(
        format, reason: "the image is \(fields.width)×\(fields.height) pixels", offset: fields.start + 4)
    }
    masks = try Self.masks(fields, method, container)

    let end = fields.start + fields.byteCount + method.maskByteCount(behind: fields)
    paletteStart = end
    paletteEntryByteCount = fields.byteCount == 12 ? 3 : 4
    let most = bitsPerPixel <= 8 ? 1 << bitsPerPixel : 0
    let stated = fields.colorsUsed == 0 ? most : fields.colorsUsed
    let paletteByteCount = paletteEntryByteCount * (most == 0 ? 0 : stated)
    if let pixels = fields.pixelStart {
      guard pixels >= fields.start + fields.byteCount else {
        throw .corrupt(
          format, reason: "the pixels begin at byte \(pixels), inside the header", offset: 10)
      }
      // Some encoders forget to count the palette.
      pixelStart = pixels == end && most > 0 ? end + paletteByteCount : pixels
      // Colours that would lie behind the first pixel are none.
      paletteCount = max(0, min(stated, most, (pixelStart - end) / paletteEntryByteCount))
    } else {
      pixelStart = end + paletteByteCount
      paletteCount = min(stated, most)
    }
    profile = fields.profile
  }

  /// The coding of pixels, and the location of their masks.
  private struct Method {
    var coding = Coding.rows
    var hasMasks = false
    var hasAlphaMask = false

    /// Returns the bytes of masks between a header without fields for them and the palette.
    func maskByteCount(behind fields: BMPFields) -> Int {
      guard hasMasks, fields.byteCount < 52 else { return 0 }
      return hasAlphaMask ? 16 : 12
    }

    init(_ fields: BMPFields) throws(ImagingError) {
      let bits: Set<Int>
      switch (fields.compression, fields.isOS2) {
      case (0, _): bits = [1, 2, 4, 8, 16, 24, 32]
      case (1, _): (coding, bits) = (.runs, [8])
      case (2, _): (coding, bits) = (.runs, [4])
      case (4, true): (coding, bits) = (.runs, [24])
      case (3, false), (6, false):
        hasMasks = true
        hasAlphaMask = fields.compression == 6 || fields.byteCount >= 56
        bits = [16, 24, 32]
      case (3, true): throw fields.unsupported("its rows are coded as a fax (Huffman 1D)")
      case (4, false): throw fields.unsupported("it is a frame around a JPEG; decode the embedded file")
      case (5, false): throw fields.unsupported("it is a frame around a PNG; decode the embedded file")
      case (11...13, _): throw fields.unsupported("its colours are CMYK")
      default:
        throw .corrupt(
          fields.format, reason: "there is no compression \(fields.compression)", offset: fields.start + 16)
      }
      guard bits.contains(fields.bitsPerPixel) else {
        if fields.compression == 0, fields.bitsPerPixel == 64 {
          throw fields.unsupported("it has 64 bits per pixel")
        }
        throw .corrupt(
          fields.format,
          reason: "\(fields.bitsPerPixel) bits per pixel with compression \(fields.compression)",
          offset: fields.start + (fields.byteCount == 12 ? 10 : 14))
      }
    }
  }

  private static func masks(
    _ fields: BMPFields, _ method: Method, _ container: Container
  ) throws(ImagingError) -> BMPMasks {
    var masks = fields.bitsPerPixel == 16 ? BMPMasks.rgb555 : .rgb888
    if method.hasMasks {
      masks = try fields.masks(hasAlpha: method.hasAlphaMask).trimmed(toBits: fields.bitsPerPixel)
      guard masks.isSound else {
        throw .corrupt(
          fields.format, reason: "the bit masks of the channels are empty or have gaps",
          offset: fields.start + 40)
      }
    }
    // Icons of 32 bits have alpha in the byte that no colour uses.
    if case .icon = container, fields.bitsPerPixel == 32, masks == .rgb888 { masks.alpha = 0xFF00_0000 }
    return masks
  }
}
