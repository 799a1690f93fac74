public import CalotypeImaging
public import FoundationEssentials

extension ImageFormat {
  /// Portable bitmaps, greymaps and pixmaps of Netpbm (<https://netpbm.sourceforge.net/doc/pnm.html>).
  public static let pnm = ImageFormat(rawValue: "pnm")
}

/// Decodes PBM, PGM and PPM: the example of a coder that a program brings along.
///
/// ```swift
/// let pipeline = ImagePipeline(urls: .untrusted) {
///   $0.coders.register(PNMDecoder())
///   $0.coders.register(PNMEncoder())
/// }
/// ```
public struct PNMDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// PNM.
  public var formats: [ImageFormat] { [.pnm] }

  /// Three bytes.
  public var signatureLength: Int { 3 }

  /// PNM if the bytes start with `P1` to `P6` and white space.
  public func format(of prefix: Data) -> ImageFormat? {
    let bytes = [UInt8](prefix.prefix(3))
    guard bytes.count == 3, bytes[0] == UInt8(ascii: "P"), PNMHeader.Kind(rawValue: bytes[1]) != nil,
      PNMReader.isSpace(bytes[2])
    else { return nil }
    return .pnm
  }

  /// Reads the header.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try Self.read(data, limits: limits) { (header, _) in header.info }
  }

  /// Decodes at full size; `minimumSize` is ignored.
  ///
  /// In partial images the rows that are not complete are transparent.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    return try Self.read(data, limits: options.limits) { (header, reader) throws(ImagingError) in
      var (rows, failure): (Int, ImagingError?) = (0, nil)
      let bitmap = try Bitmap(size: header.size) { pixels throws(ImagingError) in
        let rowLength = 4 * header.size.width
        do throws(ImagingError) {
          while rows < header.size.height {
            try watch.check()
            let row = UnsafeMutableRawBufferPointer(
              rebasing: pixels[rows * rowLength..<(rows + 1) * rowLength])
            try Self.readRow(&reader, header, to: row)
            rows += 1
          }
        } catch {
          guard rows > 0, options.accepts(error) else { throw error }
          failure = error
          UnsafeMutableRawBufferPointer(rebasing: pixels[(rows * rowLength)...])
            .initializeMemory(as: UInt8.self, repeating: 0)
        }
        return failure == nil
      }
      var info = header.info
      if case .corrupt = failure { info.isDamaged = true }
      var isPartial = false
      if case .truncated = failure { isPartial = true }
      return Image(bitmap: bitmap, info: info, isPartial: isPartial)
    }
  }

  /// Calls `body` with the header, whose size is within the limits, and a reader behind it.
  private static func read<Value>(
    _ data: Data, limits: DecodeLimits,
    _ body: (PNMHeader, inout PNMReader) throws(ImagingError) -> Value
  ) throws(ImagingError) -> Value {
    try data.withUnsafeBytes { bytes in
      Result { () throws(ImagingError) in
        var reader = PNMReader(bytes)
        let header = try PNMHeader(&reader)
        try limits.check(size: header.size, format: .pnm)
        return try body(header, &reader)
      }
    }.get()
  }

  /// Reads a row of pixels.
  private static func readRow(
    _ reader: inout PNMReader, _ header: PNMHeader, to row: UnsafeMutableRawBufferPointer
  ) throws(ImagingError) {
    let count = header.size.width * header.kind.samplesPerPixel
    let bytes = header.kind.isText ? nil : try reader.row(byteCount: header.rowByteCount)
    var pixel = 0
    for index in 0..<count {
      let sample: Int
      switch (bytes, header.kind) {
      case (let bytes?, .bits):
        sample = Int(bytes[bytes.startIndex + index / 8] >> (7 - UInt8(index & 7)) & 1)
      case (let bytes?, _) where header.maximum > 255:
        let start = bytes.startIndex + 2 * index
        sample = Int(bytes[start]) << 8 | Int(bytes[start + 1])
      case (let bytes?, _): sample = Int(bytes[bytes.startIndex + index])
      case (nil, .textBits): sample = try reader.bit()
      case (nil, _): sample = try reader.number()
      }
      guard sample <= header.maximum else {
        throw .corrupt(
          .pnm, reason: "the sample \(sample) is above \(header.maximum)", offset: reader.position)
      }
      let value = UInt8((sample * 255 + header.maximum / 2) / header.maximum)
      // A bit of 1 is black.
      row[pixel] = header.kind.isBits ? 255 - value : value
      pixel += 1
      if header.kind.samplesPerPixel == 1 {
        (row[pixel], row[pixel + 1]) = (row[pixel - 1], row[pixel - 1])
        pixel += 2
      }
      if pixel & 3 == 3 {
        row[pixel] = 255
        pixel += 1
      }
    }
  }
}
