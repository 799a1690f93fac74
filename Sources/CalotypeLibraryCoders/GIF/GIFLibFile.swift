import CLibGIF
import CalotypeImaging
import FoundationEssentials

/// A GIF in memory that giflib reads record by record. It is used by one thread at a time.
final class GIFLibFile {
  /// The next record in the file.
  enum Record {
    /// An image descriptor follows.
    case image
    /// An extension follows.
    case block
    case end
  }

  /// The bytes and the position of the reader. giflib holds a pointer to it.
  private final class Source {
    let data: Data
    var offset = 0

    init(_ data: Data) { self.data = data }

    func read(_ target: UnsafeMutablePointer<GifByteType>, _ count: Int) -> Int {
      let count = min(max(0, count), data.count - offset)
      let start = data.startIndex + offset
      data.copyBytes(to: target, from: start..<start + count)
      offset += count
      return count
    }
  }

  private let source: Source
  private let file: UnsafeMutablePointer<GifFileType>

  /// Reads the header, the logical screen and its palette.
  ///
  /// - Throws: `ImagingError.emptyInput`, `ImagingError.unrecognizedFormat(hint:)`,
  ///   `ImagingError.truncated(_:byteCount:)`, `ImagingError.corrupt(_:reason:offset:)`,
  ///   `ImagingError.outOfMemory(byteCount:)`.
  init(_ data: Data) throws(ImagingError) {
    guard !data.isEmpty else { throw .emptyInput }
    guard ImageFormat.sniff(data.prefix(ImageFormat.sniffLength)) == .gif else {
      throw data.count < 6 ? .truncated(.gif, byteCount: data.count) : .unrecognizedFormat(hint: nil)
    }
    source = Source(data)
    var code: Int32 = 0
    let opened = DGifOpen(
      Unmanaged.passUnretained(source).toOpaque(),
      { file, target, count in
        guard let target, let source = file?.pointee.UserData else { return 0 }
        return Int32(Unmanaged<Source>.fromOpaque(source).takeUnretainedValue().read(target, Int(count)))
      }, &code)
    guard let opened else { throw Self.error(code, source.data.count, source.offset) }
    file = opened
  }

  deinit {
    DGifCloseFile(file, nil)
  }

  /// The logical screen.
  var screen: PixelSize { PixelSize(width: Int(file.pointee.SWidth), height: Int(file.pointee.SHeight)) }

  /// Reads the introducer of the next record. A missing trailer is accepted.
  ///
  /// - Throws: `ImagingError.corrupt(_:reason:offset:)` for bytes that begin no record.
  func next() throws(ImagingError) -> Record {
    if source.offset == source.data.count { return .end }
    var type = UNDEFINED_RECORD_TYPE
    try check(DGifGetRecordType(file, &type))
    switch type {
    case IMAGE_DESC_RECORD_TYPE: return .image
    case EXTENSION_RECORD_TYPE: return .block
    default: return .end
    }
  }

  /// Reads an extension, and calls `visit` with its label and the number and bytes of each sub-block.
  func readBlock(_ visit: (Int, Int, UnsafeBufferPointer<UInt8>) -> Void = { _, _, _ in })
    throws(ImagingError)
  {
    var label: Int32 = 0
    var block: UnsafeMutablePointer<GifByteType>?
    try check(DGifGetExtension(file, &label, &block))
    var count = 0
    while let found = block {
      // The first byte is the length of the sub-block.
      visit(Int(label), count, UnsafeBufferPointer(start: found + 1, count: Int(found[0])))
      count &+= 1
      if count & 0xFFFF == 0, Task.isCancelled { throw .cancelled }
      try check(DGifGetExtensionNext(file, &block))
    }
  }

  /// Reads an image descriptor, its palette and the first byte of its data.
  func readDescriptor() throws(ImagingError) -> GifImageDesc {
    try check(DGifGetImageDesc(file))
    return file.pointee.Image
  }

  /// Skips the data of an image without decoding them.
  func skipPixels() throws(ImagingError) {
    var block: UnsafeMutablePointer<GifByteType>?
    var count = 0
    repeat {
      try check(DGifGetCodeNext(file, &block))
      count &+= 1
      if count & 0xFFFF == 0, Task.isCancelled { throw .cancelled }
    } while block != nil
  }

  /// Decodes the next row of indices of the current image.
  func readRow(_ row: UnsafeMutableBufferPointer<UInt8>) throws(ImagingError) {
    try check(DGifGetLine(file, row.baseAddress, Int32(row.count)))
  }

  /// Returns the colours of the current image: 256 pixels in memory order. Indices beyond the palette are black;
  /// without a palette, a ramp of greys.
  func colors(transparent: UInt8?) -> [UInt32] {
    func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
      (UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 255 << 24).littleEndian
    }
    var colors = (0..<256).map { pixel(UInt8($0), UInt8($0), UInt8($0)) }
    if let map = file.pointee.Image.ColorMap ?? file.pointee.SColorMap, let entries = map.pointee.Colors {
      colors = Array(repeating: pixel(0, 0, 0), count: 256)
      for index in 0..<min(256, max(0, Int(map.pointee.ColorCount))) {
        colors[index] = pixel(entries[index].Red, entries[index].Green, entries[index].Blue)
      }
    }
    if let transparent { colors[Int(transparent)] = 0 }
    return colors
  }

  private func check(_ outcome: Int32) throws(ImagingError) {
    guard outcome != GIF_OK else { return }
    throw Self.error(file.pointee.Error, source.data.count, source.offset)
  }

  private static func error(_ code: Int32, _ byteCount: Int, _ offset: Int) -> ImagingError {
    switch code {
    case D_GIF_ERR_NOT_ENOUGH_MEM: return .outOfMemory(byteCount: byteCount)
    // The library does not always report truncation as such.
    case D_GIF_ERR_READ_FAILED, D_GIF_ERR_EOF_TOO_SOON: return .truncated(.gif, byteCount: byteCount)
    default:
      let text = GifErrorString(code).map { String(cString: $0) }
      return offset == byteCount
        ? .truncated(.gif, byteCount: byteCount)
        : .corrupt(.gif, reason: text ?? "giflib gives up", offset: offset)
    }
  }
}
