import FoundationEssentials

/// A JPEG of the older kind (TIFF 6.0, section 22): a stream of its own, or its parts in tags, of which a stream is made.
struct TIFFOldJPEG {
  private let bytes: UnsafeRawBufferPointer
  private let picture: TIFFPicture

  init(_ picture: TIFFPicture, _ bytes: UnsafeRawBufferPointer) {
    (self.picture, self.bytes) = (picture, bytes)
  }

  private func unsupported(_ reason: String) -> ImagingError {
    .unsupportedFormat(.tiff, reason: "its old JPEG has \(reason)")
  }

  private func value(_ tag: TIFFTag, at index: Int = 0) -> Int? {
    picture.directory.entries[tag]?.integer(at: index, RawSpan(_unsafeBytes: bytes), in: picture.file)
  }

  /// Returns a JPEG stream.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)``, ``ImagingError/truncated(_:byteCount:)``.
  func stream() throws(ImagingError) -> Data {
    if let start = value(.jpegStart), start <= bytes.count - 2, bytes[start] == 0xFF, bytes[start + 1] == 0xD8
    {
      // The scan may be behind the announced end.
      return Data(bytes[start...])
    }
    let geometry = picture.geometry
    guard !geometry.isTiled, geometry.down == 1, !picture.coding.isPlanar else {
      throw unsupported("several strips or tiles")
    }
    let table = TIFFPieceTable(picture.directory, bytes, in: picture.file, isTiled: false)
    guard let scan = table.range(of: 0), !scan.isEmpty else {
      throw .truncated(.tiff, byteCount: bytes.count)
    }
    var stream: [UInt8] = [0xFF, 0xD8]
    let components = picture.pixels.samples
    guard components == 1 || components == 3 else { throw unsupported("\(components) components") }
    for index in 0..<components {
      stream += segment(0xDB, [UInt8(index)] + (try part(.jpegQuantisation, at: index, count: 64)))
      for (kind, tag) in [(UInt8(0), TIFFTag.jpegDCTables), (0x10, .jpegACTables)] {
        let counts = try part(tag, at: index, count: 16)
        let codes = counts.reduce(0) { $0 + Int($1) }
        guard codes <= 256 else { throw unsupported("a damaged table") }
        stream += segment(0xC4, [kind | UInt8(index)] + (try part(tag, at: index, count: 16 + codes)))
      }
    }
    if let interval = value(.jpegRestartInterval), interval > 0 { stream += segment(0xDD, word(interval)) }
    stream += segment(0xC0, try frame(components))
    var scanHeader = [UInt8(components)]
    for index in 0..<components { scanHeader += [UInt8(index + 1), UInt8(index << 4 | index)] }
    stream += segment(0xDA, scanHeader + [0, 63, 0])
    return Data(stream) + Data(bytes[scan]) + Data([0xFF, 0xD9])
  }

  private func frame(_ components: Int) throws(ImagingError) -> [UInt8] {
    let isColor = picture.coding.photometric == .yCbCr
    let (across, down) = (
      isColor ? value(.chromaSubsampling) ?? 2 : 1, isColor ? value(.chromaSubsampling, at: 1) ?? 2 : 1
    )
    guard (1...4).contains(across), (1...4).contains(down) else {
      throw unsupported("an unknown subsampling")
    }
    let size = picture.geometry.size
    var frame = [8] + word(size.height) + word(size.width) + [UInt8(components)]
    for index in 0..<components {
      frame += [UInt8(index + 1), index == 0 ? UInt8(across << 4 | down) : 0x11, UInt8(index)]
    }
    return frame
  }

  /// Returns bytes at the place that a tag names.
  private func part(_ tag: TIFFTag, at index: Int, count: Int) throws(ImagingError) -> [UInt8] {
    guard let start = value(tag, at: index), start <= bytes.count, count <= bytes.count - start else {
      throw .corrupt(.tiff, reason: "a table of the JPEG is missing", offset: picture.directory.offset)
    }
    return Array(bytes[start..<start + count])
  }

  private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + word(content.count + 2) + content
  }

  private func word(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }
}
