import FoundationEssentials
import Glibc

/// The strips of a JPEG in a TIFF (TIFF Technical Note 2) as one JPEG, so that it can be decoded at a smaller scale.
///
/// Each strip starts anew, as a restart interval does: with a restart marker between them, they are one scan.
struct TIFFJPEGStream {
  private let bytes: UnsafeRawBufferPointer
  private let picture: TIFFPicture
  private var tables = Data()
  private var frame = Data()
  private var scanHeader = Data()
  private var scans: [Range<Int>] = []

  /// - Returns: `nil` if the strips are no plain sequential JPEGs with tables in common, or there are tiles.
  init?(_ picture: TIFFPicture, _ bytes: UnsafeRawBufferPointer) {
    (self.bytes, self.picture) = (bytes, picture)
    let geometry = picture.geometry
    guard picture.coding.compression == .jpeg, !geometry.isTiled, !picture.coding.isPlanar,
      [.minIsBlack, .rgb, .yCbCr].contains(picture.coding.photometric),
      picture.pixels.samples == picture.pixels.colorCount
    else { return nil }
    if let range = picture.directory.entries[.jpegTables]?.range, range.upperBound <= bytes.count {
      guard let segments = Segments(bytes, range), segments.scan == nil else { return nil }
      tables = segments.tables
    }
    let table = TIFFPieceTable(picture.directory, bytes, in: picture.file, isTiled: false)
    for piece in 0..<geometry.down {
      guard let range = table.range(of: piece), let strip = Segments(bytes, range), let scan = strip.scan
      else {
        return nil
      }
      if piece == 0 {
        tables.append(strip.tables)
        (frame, scanHeader) = (strip.frame, strip.scanHeader)
      } else if !strip.tables.isEmpty, tables.firstRange(of: strip.tables) == nil {
        return nil
      }
      guard strip.scanHeader == scanHeader, isLike(strip.frame), let end = Self.end(of: scan, bytes) else {
        return nil
      }
      scans.append(scan.lowerBound..<end)
    }
    guard interval != nil else { return nil }
  }

  /// Returns true if a frame header has the components of the first one, and the width of the picture.
  private func isLike(_ other: Data) -> Bool {
    let (first, other) = (Array(frame), Array(other))
    guard first.count >= 10, first.count == other.count, other[0] == 0xFF,
      other[1] == 0xC0 || other[1] == 0xC1, other[4] == 8
    else { return false }
    return first[9...] == other[9...] && Int(other[7]) << 8 | Int(other[8]) == picture.geometry.size.width
  }

  /// The number of blocks of components in a strip; `nil` if strips do not end between them.
  private var interval: Int? {
    let header = Array(frame)
    let count = Int(header[9])
    guard count == picture.pixels.samples, header.count >= 10 + 3 * count else { return nil }
    let factors = (0..<count).map { Int(header[11 + 3 * $0]) }
    guard let across = factors.map({ $0 >> 4 }).max(), let down = factors.map({ $0 & 15 }).max(), across > 0,
      down > 0
    else { return nil }
    // A single component has blocks of its own.
    let block = count == 1 ? PixelSize(width: 8, height: 8) : PixelSize(width: 8 * across, height: 8 * down)
    let (size, rows) = (picture.geometry.size, picture.geometry.piece.height)
    guard picture.geometry.down == 1 || rows % block.height == 0 else { return nil }
    let blocks = ((size.width - 1) / block.width + 1) * ((rows - 1) / block.height + 1)
    return picture.geometry.down == 1 ? 0 : blocks <= 0xFFFF ? blocks : nil
  }

  /// Returns the end of entropy-coded data; `nil` if other markers than the end of the picture are in it.
  private static func end(of scan: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var position = scan.lowerBound
    while position < scan.upperBound, let found = memchr(base + position, 0xFF, scan.upperBound - position) {
      position = UnsafeRawPointer(found) - base
      guard position + 1 < scan.upperBound else { return position }
      switch bytes[position + 1] {
      case 0: position += 2
      case 0xFF: position += 1
      case 0xD9: return position
      default: return nil
      }
    }
    return scan.upperBound
  }

  /// The stream.
  var data: Data {
    let size = picture.geometry.size
    var header = frame
    header.replaceSubrange(5..<7, with: [UInt8(size.height >> 8 & 255), UInt8(size.height & 255)])
    var data = Data([0xFF, 0xD8])
    data.reserveCapacity(scans.reduce(1024 + tables.count) { $0 + $1.count + 2 })
    // What the components mean: YCbCr with a JFIF header, RGB with one of Adobe.
    let adobe: [UInt8] = [0xFF, 0xEE, 0, 14, 0x41, 0x64, 0x6F, 0x62, 0x65, 0, 100, 0, 0, 0, 0, 0]
    let jfif: [UInt8] = [0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
    data.append(contentsOf: picture.coding.photometric == .rgb ? adobe : jfif)
    data.append(tables)
    if let interval, interval > 0 {
      data.append(contentsOf: [0xFF, 0xDD, 0, 4, UInt8(interval >> 8), UInt8(interval & 255)])
    }
    data.append(header)
    data.append(scanHeader)
    for (index, scan) in scans.enumerated() {
      if index > 0 { data.append(contentsOf: [0xFF, 0xD0 + UInt8((index - 1) & 7)]) }
      data.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[scan]))
    }
    data.append(contentsOf: [0xFF, 0xD9])
    return data
  }
}

extension TIFFJPEGStream {
  /// The marker segments of a strip, or of the tables in common.
  private struct Segments {
    var tables = Data()
    var frame = Data()
    var scanHeader = Data()
    /// The data behind the header of the scan; `nil` if there is none.
    var scan: Range<Int>?

    /// - Returns: `nil` unless the bytes are a stream of one sequential frame, without restart intervals.
    init?(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
      var position = range.lowerBound
      func word(_ offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
      guard range.count >= 4, word(position) == 0xFFD8 else { return nil }
      position += 2
      while position + 4 <= range.upperBound {
        let marker = word(position)
        if marker == 0xFFD9 { return }
        let length = word(position + 2)
        guard marker > 0xFF00, length >= 2, length <= range.upperBound - position - 2 else { return nil }
        let segment = Data(bytes[position..<position + 2 + length])
        position += 2 + length
        switch marker {
        case 0xFFDB, 0xFFC4: tables.append(segment)
        case 0xFFC0, 0xFFC1: frame = segment
        case 0xFFE0...0xFFEF, 0xFFFE: break
        case 0xFFDA:
          scanHeader = segment
          scan = position..<range.upperBound
          return
        default: return nil
        }
      }
    }
  }
}
