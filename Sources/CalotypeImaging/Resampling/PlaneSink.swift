import CPixels

/// A sink for the rows of three planes, luma and two of chroma, that makes a thumbnail of them.
final class PlaneSink {
  private let planes: [RowSink]
  private let pool: PixelPool

  /// Allocates memory for the rows and for the resized planes.
  init(_ plan: PlanePlan, pool: PixelPool = .shared) throws(ImagingError) {
    self.pool = pool
    planes = [
      try RowSink([plan.luma], pool: pool), try RowSink([plan.chroma], pool: pool),
      try RowSink([plan.chroma], pool: pool),
    ]
  }

  /// The rows of luma that have arrived.
  var rows: Int { planes[0].rows }

  /// Adds the next rows of a plane; those behind its end are ignored.
  ///
  /// - Parameter stride: The distance between rows, at least the width of the plane.
  func append(plane: Int, rows: UnsafePointer<UInt8>, stride: Int, count: Int) {
    let sink = planes[plane]
    let width = sink.source.width
    var next = rows
    var left = count
    while left > 0, !sink.isComplete {
      let room = sink.room
      guard let start = room.start else { return }
      let taken = min(left, room.count)
      for row in 0..<taken { (start + row * width).update(from: next + row * stride, count: width) }
      sink.advance(by: taken)
      next += taken * stride
      left -= taken
    }
  }

  /// Fills the missing rows with medium grey.
  func fill() {
    for sink in planes {
      while !sink.isComplete {
        let room = sink.room
        room.start?.update(repeating: 0x80, count: room.count * sink.source.width)
        sink.advance(by: room.count)
      }
    }
  }

  /// Returns the thumbnail as opaque pixels, after all rows have arrived.
  func finished() throws(ImagingError) -> Bitmap? {
    let resized = planes.compactMap { $0.finished()?.first }
    guard resized.count == 3 else { return nil }
    return try picture(resized[0], resized[1], resized[2])
  }

  private func picture(_ luma: Bitmap, _ blue: Bitmap, _ red: Bitmap) throws(ImagingError) -> Bitmap {
    try Bitmap(size: luma.size, format: .rgba8, pool: pool) { pixels in
      luma.withUnsafeBytes { luma in
        blue.withUnsafeBytes { blue in
          red.withUnsafeBytes { red in
            guard let y = luma.bindMemory(to: UInt8.self).baseAddress,
              let u = blue.bindMemory(to: UInt8.self).baseAddress,
              let v = red.bindMemory(to: UInt8.self).baseAddress,
              let target = pixels.bindMemory(to: UInt8.self).baseAddress
            else { return }
            cpx_jfif_convert(y, u, v, target, luma.count, cpx_best_level())
          }
        }
      }
      return true
    }
  }
}
