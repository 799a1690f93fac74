/// Memory for the decoded pieces of a band, each followed by bytes that may be read.
final class TIFFBandBuffer {
  private let buffer: UnsafeMutableRawBufferPointer
  private let pool: PixelPool
  /// Bytes from one piece to the next.
  private let stride: Int
  private let pieceByteCount: Int

  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``.
  init(pieceByteCount: Int, count: Int, pool: PixelPool = .shared) throws(ImagingError) {
    let (stride, overflow) = pieceByteCount.addingReportingOverflow(TIFFConverter.overrun)
    let total = TIFFGeometry.product(stride, count)
    guard !overflow, total <= 1 << 56, let buffer = pool.take(byteCount: total) else {
      throw .outOfMemory(byteCount: total)
    }
    (self.buffer, self.pool, self.stride, self.pieceByteCount) = (buffer, pool, stride, pieceByteCount)
  }

  deinit {
    pool.giveBack(buffer)
  }

  /// Returns the memory of a piece.
  func piece(_ index: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: buffer[index * stride..<index * stride + pieceByteCount])
  }

  /// Returns the address of a byte of a piece.
  func address(piece: Int, offset: Int) -> UnsafeMutableRawPointer {
    // Buffers of a pool are never empty.
    buffer.baseAddress.unsafelyUnwrapped + piece * stride + offset
  }
}
