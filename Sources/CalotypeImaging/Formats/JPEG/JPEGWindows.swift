/// Where the input of a decode is cut into the windows that libjpeg sees.
///
/// The library takes other paths near the end of a window than in its middle, and notices other damage on them.
/// So the cuts depend on the file alone, not on how its bytes arrive: then nothing else does. Windows grow with
/// the file, because each costs a little, and a picture of some size is not worth showing for every few bytes.
struct JPEGWindows {
  /// Bytes of the shortest and the longest window.
  private static let shortest = 1024
  private static let longest = 128 << 10

  /// Where the next window ends, in bytes from the start of the file.
  private(set) var end: Int
  /// Bytes without which a file cannot hold the picture, and is truncated.
  let minimumByteCount: Int
  private let scanOffset: Int

  /// The windows of a file whose first scan begins at an offset. The first window is at least long enough for
  /// the smallest file that can hold the picture, which is required unless partial images are allowed.
  init(_ header: JPEGHeader, scanOffset: Int, allowsPartial: Bool) {
    self.scanOffset = scanOffset
    let least = scanOffset + header.minimumScanBytes
    minimumByteCount = allowsPartial ? scanOffset : least
    guard !header.isArithmetic else {
      // The library cannot pause in arithmetic coding: all or nothing.
      end = .max
      return
    }
    end = max(scanOffset + Self.shortest, least)
  }

  /// Moves on to the next window.
  mutating func advance() {
    end += min(Self.longest, max(Self.shortest, (end - scanOffset) / 4))
  }
}
