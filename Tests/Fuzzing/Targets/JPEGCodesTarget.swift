import CJPEG
import FoundationEssentials

/// Huffman codes of JPEG, read here and by libjpeg: the same picture, whatever they say and however they arrive.
enum JPEGCodesTarget {
  static func run(_ input: FuzzInput) throws {
    let data = input.data()
    // The library leaves something behind in an MCU that it read ahead of and then has to read again; never where little
    // is there at once.
    let windows = Windows(ours: Int(input.first) * 16 + 1, library: 48)
    try compare(data, denominator: 1 << (Int(input.second) % 4), windows: windows)
  }

  /// How many bytes of the scan are there at once.
  struct Windows {
    let ours: Int
    let library: Int
  }

  /// Whether there was something to compare.
  @discardableResult
  static func compare(
    _ data: Data, denominator: Int, windows: Windows, maxPixels: Int = 1 << 20
  ) throws -> Bool {
    func picture(isPlain: Bool, window: Int) -> Picture? {
      Self.picture(
        data, denominator: denominator, isPlain: isPlain, window: window, maxPixels: maxPixels)
    }
    guard let ours = picture(isPlain: false, window: windows.ours), ours.readsCodes else { return false }
    guard let library = picture(isPlain: true, window: windows.library) else {
      throw FuzzFailure("the library does not start")
    }
    try FuzzFailure.unless(!library.readsCodes, "the library was to read the codes")
    try FuzzFailure.unless(
      ours.rowCount == library.rowCount && ours.outcome == library.outcome,
      "row \(ours.rowCount), outcome \(ours.outcome); the library: \(library.rowCount), \(library.outcome)")
    try FuzzFailure.unless(ours.isIntact == library.isIntact, "intact: \(ours.isIntact)")
    try FuzzFailure.unless(ours.pixels == library.pixels, "other pixels than the library's")
    return true
  }

  private struct Picture {
    var readsCodes = false
    var outcome: Int32 = 0
    var isIntact = true
    var rowCount = 0
    var pixels: [UInt8] = []
  }

  /// The picture of a file with one scan; `nil` if its header is none, or that of a large one.
  private static func picture(
    _ data: Data, denominator: Int, isPlain: Bool, window: Int, maxPixels: Int
  ) -> Picture? {
    guard let decoder = cjpeg_decoder_create(1, 1 << 24) else { return nil }
    defer { cjpeg_decoder_destroy(decoder) }
    if isPlain { cjpeg_decoder_use_plain_library(decoder) }
    return data.withUnsafeBytes { bytes -> Picture? in
      let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      cjpeg_decoder_input(decoder, start, bytes.count, 1)
      var header = cjpeg_header()
      guard cjpeg_decoder_read_header(decoder, &header) == 0, header.multiple_scans == 0,
        Int(header.width) * Int(header.height) <= maxPixels
      else { return nil }
      var width: UInt32 = 0
      var height: UInt32 = 0
      guard cjpeg_decoder_start(decoder, Int32(denominator), Int32(CJPEG_RGBA), &width, &height) == 0 else {
        return nil
      }
      var picture = Picture(readsCodes: cjpeg_decoder_reads_codes(decoder) != 0)
      picture.pixels = Array(repeating: 0, count: Int(width) * Int(height) * 4)
      var begin = bytes.count - cjpeg_decoder_unread(decoder)
      var end = begin
      repeat {
        end = min(end + window, bytes.count)
        cjpeg_decoder_input(decoder, start.map { $0 + begin }, end - begin, end == bytes.count ? 1 : 0)
        picture.outcome = picture.pixels.withUnsafeMutableBufferPointer { pixels in
          var read: UInt32 = 0
          let place = pixels.baseAddress.map { $0 + picture.rowCount * Int(width) * 4 }
          let outcome = cjpeg_decoder_read_rows(
            decoder, place, Int(width) * 4, height - UInt32(picture.rowCount), &read)
          picture.rowCount += Int(read)
          return outcome
        }
        begin = end - cjpeg_decoder_unread(decoder)
      } while Int(picture.outcome) == CJPEG_SUSPENDED && end < bytes.count
      picture.isIntact = Int(cjpeg_decoder_damage(decoder, 1)) == CJPEG_INTACT
      return picture
    }
  }
}
