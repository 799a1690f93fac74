import FoundationEssentials

/// The parts of each format; all return whether everything that the format announces was found.
extension ImageParts {
  mutating func readJPEG(_ prefix: Data, _ limits: DecodeLimits) throws(ImagingError) -> Bool {
    var header = JPEGHeader(keepsMetadata: true)
    try header.walk(prefix.bytes)
    metadata = header.metadata.within(limits)
    if !header.photoshop.isEmpty, header.photoshop.count <= limits.maxChunkBytes {
      photoshop = header.photoshop
    }
    switch header.components.count {
    case 1, 2: colorModel = .gray
    case 4: colorModel = .cmyk
    default: colorModel = .rgb
    }
    return header.isComplete
  }

  mutating func readPNG(
    _ prefix: Data, _ isWhole: Bool, _ limits: DecodeLimits
  ) throws(ImagingError) -> Bool {
    let options = DecodeOptions(limits: limits, readsMetadata: true)
    let found = try prefix.bytes.withUnsafeBytes {
      (bytes) throws(ImagingError) -> (ImageMetadata, PNGHeader.ColorType)? in
      var walk = PNGWalk(limits: limits)
      if isWhole { try walk.finish(bytes) } else { try walk.advance(bytes) }
      guard let structure = walk.structure,
        isWhole || !structure.isBeforeImageData || walk.isAtImageData(bytes)
      else { return nil }
      let file = PNGFile(bytes: bytes, structure: structure, options: options)
      return (file.metadata, structure.header.colorType)
    }
    guard let found else { return false }
    metadata = found.0
    if found.1 == .gray || found.1 == .grayAlpha { colorModel = .gray }
    return true
  }

  mutating func readWebP(_ prefix: Data, _ limits: DecodeLimits) throws(ImagingError) -> Bool {
    let found = try prefix.bytes.withUnsafeBytes { (file) throws(ImagingError) -> (ImageMetadata, Bool) in
      var structure = WebPStructure(limits: limits)
      try structure.read(file)
      let isComplete = structure.header(of: file) != nil && !structure.lacksMetadata(file)
      return (structure.metadata(of: file), isComplete)
    }
    metadata = found.0
    return found.1
  }

  mutating func readISOMedia(
    _ prefix: Data, _ isWhole: Bool, _ format: ImageFormat, _ limits: DecodeLimits
  ) throws(ImagingError) -> Bool {
    let file = try ISOMediaFile(prefix.bytes, isWhole: isWhole, format: format, limits: limits)
    guard let file else { return false }
    let found = prefix.bytes.withUnsafeBytes { bytes in
      (file.metadata(bytes, limits: limits), file.lacksMetadata(bytes, limits: limits))
    }
    metadata = found.0
    return !found.1
  }

  mutating func readTIFF(_ data: Data, _ page: Int, _ limits: DecodeLimits) throws(ImagingError) -> Bool {
    guard let document = try TIFFDocument(data.bytes, page: page, limits: limits) else { return false }
    let entries = document.page.entries
    func block(_ tag: TIFFTag) -> Data? { document.data(entries[tag]?.range, data.bytes, limits: limits) }
    metadata = ImageMetadata(exif: data, xmp: block(.xmp))
    iptc = block(.iptc)
    photoshop = block(.photoshop)
    switch try? TIFFCoding(document.page, data.bytes, in: document.file).photometric {
    case .minIsWhite, .minIsBlack, .mask: colorModel = .gray
    case .inks: colorModel = .cmyk
    default: colorModel = .rgb
    }
    return true
  }

  /// Reads the uncompressed boxes of a container (ISO/IEC 18181-2).
  mutating func readJXL(_ data: Data, _ isWhole: Bool, _ limits: DecodeLimits) throws(ImagingError) -> Bool {
    let codestream = try JXLCodestream(data.bytes)
    guard let header = try JXLHeader(codestream.bytes(of: data.bytes)) else { return false }
    if header.isGray { colorModel = .gray }
    // A bare codestream has no boxes.
    guard !data.bytes.holds([0xFF, 0x0A]) else { return true }
    var offset = 0
    while let box = try ISOBox.read(data.bytes, at: offset, end: nil, format: .jxl) {
      offset = box.end
      guard box.end <= data.count, box.content.count <= limits.maxChunkBytes else { continue }
      let content = data.bytes.extracting(box.content).copy()
      if box.type == FourCC("Exif"), metadata.exif == nil {
        let start = content.bytes.uint32(at: 0, bigEndian: true).map { Int($0) }
        if let start, start <= content.count - 4 { metadata.exif = Data(content.dropFirst(4 + start)) }
      } else if box.type == FourCC("xml "), metadata.xmp == nil {
        metadata.xmp = content
      }
    }
    return metadata.exif != nil && metadata.xmp != nil
  }
}

extension ImageMetadata {
  /// The blocks that are not too long.
  fileprivate func within(_ limits: DecodeLimits) -> ImageMetadata {
    func short(_ block: Data?) -> Data? { block.flatMap { $0.count <= limits.maxChunkBytes ? $0 : nil } }
    return ImageMetadata(exif: short(exif), xmp: short(xmp))
  }
}
