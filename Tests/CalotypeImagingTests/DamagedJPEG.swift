import CJPEG
import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// A JPEG as libjpeg-turbo alone decodes it: all Huffman codes, and all scans before the first row.
struct LibraryDecode {
  /// The pixels; `nil` when the library refuses the file.
  var bitmap: [UInt8]?
  var size = PixelSize(width: 0, height: 0)
  var isTruncated = false
  var isIntact = true

  init(_ data: Data, denominator: Int = 1, maxPixels: Int, maxScans: Int) throws {
    let decoder = try #require(cjpeg_decoder_create(Int32(maxScans), 1 << 28))
    defer { cjpeg_decoder_destroy(decoder) }
    cjpeg_decoder_use_plain_library(decoder)
    data.withUnsafeBytes { bytes in
      cjpeg_decoder_input(
        decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, 1)
      var header = cjpeg_header()
      guard cjpeg_decoder_read_header(decoder, &header) == 0,
        Int(header.width) * Int(header.height) <= maxPixels
      else { return }
      var (width, height) = (UInt32(0), UInt32(0))
      guard cjpeg_decoder_start(decoder, Int32(denominator), Int32(CJPEG_RGBA), &width, &height) == 0 else {
        return
      }
      size = PixelSize(width: Int(width), height: Int(height))
      var pixels = [UInt8](repeating: 0, count: size.pixelCount * 4)
      var (outcome, row) = (Int32(0), UInt32(0))
      // Of one scan, little is there at once: the library leaves something behind in an MCU that it read ahead of and
      // then has to read again, depending on how many bytes there are.
      // Arithmetic decoding cannot stop for want of bytes.
      let isArithmetic = (try? JPEGHeader(data))?.isArithmetic == true
      let window = header.multiple_scans == 0 && !isArithmetic ? 48 : bytes.count
      let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      var begin = bytes.count - cjpeg_decoder_unread(decoder)
      var end = begin
      repeat {
        end = min(end + window, bytes.count)
        if window < bytes.count {
          cjpeg_decoder_input(decoder, start.map { $0 + begin }, end - begin, end == bytes.count ? 1 : 0)
        }
        outcome = pixels.withUnsafeMutableBufferPointer { pixels in
          var read: UInt32 = 0
          let place = pixels.baseAddress.map { $0 + Int(row) * Int(width) * 4 }
          let outcome = cjpeg_decoder_read_rows(decoder, place, Int(width) * 4, height - row, &read)
          row += read
          return outcome
        }
        begin = end - cjpeg_decoder_unread(decoder)
      } while Int(outcome) == CJPEG_SUSPENDED && end < bytes.count
      guard outcome == 0, row == height else { return }
      bitmap = pixels
      isTruncated = Int(cjpeg_decoder_damage(decoder, 1)) == CJPEG_TRUNCATED
      isIntact = Int(cjpeg_decoder_damage(decoder, 1)) == CJPEG_INTACT
    }
  }
}

/// Damages files, the same way for the same seed.
struct Damager {
  var random: RepeatableNumbers

  private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }

  /// One to three faults behind `start`: bits, bytes, runs that are lost, repeated or overwritten, markers.
  mutating func damaged(_ data: Data, from start: Int) -> Data {
    var bytes = [UInt8](data)
    for _ in 0...below(3) {
      guard bytes.count > start + 8 else { break }
      let at = start + below(bytes.count - start - 2)
      let end = min(bytes.count - 2, at + 1 + below(64))
      switch below(8) {
      case 0, 1, 2: bytes[at] ^= 1 << UInt8(below(8))
      case 3: bytes[at] = UInt8(below(256))
      case 4: bytes.removeSubrange(at..<max(at, end))
      case 5: bytes.insert(contentsOf: bytes[at..<max(at, end)], at: at)
      case 6: for index in at..<max(at, end) { bytes[index] = UInt8(below(256)) }
      default: bytes.replaceSubrange(at..<at + 2, with: [0xFF, [0xD9, 0xD0, 0xD4, 0x40, 0xFF][below(5)]])
      }
    }
    return Data(bytes)
  }
}
