/// The division of the input into the windows that libjpeg reads.
///
/// The library takes other paths near the end of a window than in its middle, and detects other damage on them. The
/// cuts therefore depend on the file alone, not on the arrival of its bytes, and so does the result. Windows grow with
/// the file, because each costs a little, and large pictures need no snapshot for every few bytes.
struct JPEGWindows {
  /// The lengths of the shortest and the longest window, in bytes.
  private static let shortest = 1024
  private static let longest = 128 << 10

  /// The end of the next window, in bytes from the start of the file.
  private(set) var end: Int
  /// The smallest number of bytes that can hold the picture; shorter files are truncated.
  let minimumByteCount: Int
  private let scanOffset: Int

  /// Creates the windows of a file whose first scan begins at an offset. The first window is at least as long as the
  /// smallest file that can hold the picture, which is required unless partial images are allowed.
  init(_ header: JPEGHeader, scanOffset: Int, allowsPartial: Bool) {
    self.scanOffset = scanOffset
    let least = scanOffset + header.minimumScanBytes
    minimumByteCount = allowsPartial ? scanOffset : least
    guard !header.isArithmetic else {
      // The library cannot suspend in arithmetic coding: it needs the whole input.
      end = .max
      return
    }
    end = max(scanOffset + Self.shortest, least)
  }

  /// Moves to the next window.
  mutating func advance() {
    end += min(Self.longest, max(Self.shortest, (end - scanOffset) / 4))
  }
}
