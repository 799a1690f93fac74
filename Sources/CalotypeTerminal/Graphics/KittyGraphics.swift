import Calotype
import CDeflate
import FoundationEssentials

/// The graphics protocol of kitty: https://sw.kovidgoyal.net/kitty/graphics-protocol/
enum KittyGraphics {
  /// Characters of base64 in one command, by the specification.
  static let chunkLength = 4096

  /// Where a picture is put.
  enum Placement: Hashable {
    /// At the cursor, which does not move.
    case cursor
    /// Wherever ``KittyPlaceholder`` characters stand.
    case placeholders
  }

  /// Sends a picture and puts it into so many cells, stretched to fill them. Each command is complete in itself.
  ///
  /// - Parameters:
  ///   - bitmap: RGBA with 8 bits a sample.
  ///   - id: Its name, not 0. A picture of the same name is replaced.
  static func transmit(
    _ bitmap: Bitmap, id: UInt32, columns: Int, rows: Int, placement: Placement = .cursor
  ) -> [[UInt8]] {
    let (pixels, format) = samples(of: bitmap)
    let compressed = compress(pixels)
    var control =
      "a=T,q=2,f=\(format),s=\(bitmap.width),v=\(bitmap.height),i=\(id),\(cells(columns, rows, placement))"
    if compressed != nil { control += ",o=z" }
    return commands(control, payload: Data(compressed ?? pixels))
  }

  /// Puts a picture that the terminal has already into other cells; it leaves those it was in.
  static func place(id: UInt32, columns: Int, rows: Int) -> [UInt8] {
    command("a=p,q=2,i=\(id),\(cells(columns, rows, .cursor))")
  }

  /// Takes a picture off the screen and out of the memory of the terminal.
  static func delete(id: UInt32) -> [UInt8] { command("a=d,d=I,q=2,i=\(id)") }

  /// Asks whether the protocol is understood; nothing is shown or kept.
  static func query(id: UInt32) -> [UInt8] {
    command("a=q,t=d,f=24,s=1,v=1,i=\(id)", "AAAA")
  }

  private static func cells(_ columns: Int, _ rows: Int, _ placement: Placement) -> String {
    "c=\(columns),r=\(rows)" + (placement == .cursor ? ",p=1,C=1" : ",U=1")
  }

  /// Three samples a pixel where all are opaque, else four; and what the protocol calls that.
  private static func samples(of bitmap: Bitmap) -> (bytes: [UInt8], format: Int) {
    bitmap.withUnsafeBytes { source in
      guard bitmap.isOpaque else { return (Array(source), 32) }
      let count = bitmap.size.pixelCount
      let bytes = [UInt8](unsafeUninitializedCapacity: count * 3) { target, initialized in
        for index in 0..<count {
          target[3 * index] = source[4 * index]
          target[3 * index + 1] = source[4 * index + 1]
          target[3 * index + 2] = source[4 * index + 2]
        }
        initialized = count * 3
      }
      return (bytes, 24)
    }
  }

  /// A zlib stream; `nil` where it would not be shorter.
  private static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    // The fastest level: pictures are sent once, and shown at once.
    guard let compressor = libdeflate_alloc_compressor(1) else { return nil }
    defer { libdeflate_free_compressor(compressor) }
    let result = [UInt8](unsafeUninitializedCapacity: bytes.count) { target, initialized in
      initialized = bytes.withUnsafeBytes { source in
        libdeflate_zlib_compress(
          compressor, source.baseAddress, source.count, target.baseAddress, target.count)
      }
    }
    return result.isEmpty ? nil : result
  }

  private static func commands(_ control: String, payload: Data) -> [[UInt8]] {
    let base64 = Array(payload.base64EncodedData())
    return stride(from: 0, to: base64.count, by: chunkLength).map { start in
      let end = min(base64.count, start + chunkLength)
      let more = "m=\(end < base64.count ? 1 : 0)"
      return command(start == 0 ? "\(control),\(more)" : "q=2,\(more)", base64[start..<end])
    }
  }

  private static func command(_ control: String, _ payload: ArraySlice<UInt8> = []) -> [UInt8] {
    var bytes = Array("\u{1B}_G\(control)".utf8)
    if !payload.isEmpty {
      bytes.append(UInt8(ascii: ";"))
      bytes.append(contentsOf: payload)
    }
    bytes.append(ControlSequence.stringTerminator)
    return bytes
  }

  private static func command(_ control: String, _ payload: String) -> [UInt8] {
    command(control, Array(payload.utf8)[...])
  }
}
