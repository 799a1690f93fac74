import FoundationEssentials

/// The position in the content of a request: hands out its bytes, and goes back when libcurl has to send them again
/// over another connection. Pure.
struct UploadCursor {
  private let pieces: [Data]
  /// The number of bytes of all pieces.
  let count: Int
  private var index = 0
  /// The offset in the present piece.
  private var offset = 0

  init(_ pieces: [Data]) {
    self.pieces = pieces.filter { !$0.isEmpty }
    count = pieces.reduce(0) { $0 + $1.count }
  }

  /// Copies the next bytes.
  ///
  /// - Returns: Their number; 0 at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < buffer.count, index < pieces.count {
      let piece = pieces[index]
      let taken = min(piece.count - offset, buffer.count - filled)
      piece.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + taken])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + taken]))
      }
      filled += taken
      offset += taken
      if offset == piece.count {
        index += 1
        offset = 0
      }
    }
    return filled
  }

  /// Moves to a position from the beginning.
  ///
  /// - Returns: `false`, without any effect, when there is no such position.
  mutating func seek(to position: Int) -> Bool {
    guard (0...count).contains(position) else { return false }
    index = 0
    offset = position
    while index < pieces.count, offset >= pieces[index].count {
      offset -= pieces[index].count
      index += 1
    }
    return true
  }
}
