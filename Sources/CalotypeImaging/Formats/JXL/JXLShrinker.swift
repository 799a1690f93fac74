#if JXL
import CJXL

/// A maker of thumbnails during a decode by libjxl, which delivers pixels group by group: a picture keeps only the rows
/// of the groups that are not complete.
enum JXLShrinker {
  /// The smallest picture to stream, in bytes; smaller ones are decoded as a whole.
  private static let smallestPicture = 16 << 20

  /// The way of rows from the library to the thumbnails.
  private final class Transfer {
    private let sink: RowSink
    private let memory: RollingRows
    private let bytesPerRow: Int
    private let reader: JXLReader
    let state = UnsafeMutablePointer<cjxl_rows>.allocate(capacity: 1)

    init(
      to sink: RowSink, at memory: RollingRows, counts: UnsafeMutablePointer<UInt32>?, from reader: JXLReader
    ) {
      self.sink = sink
      self.memory = memory
      self.reader = reader
      let size = reader.header.size
      bytesPerRow = 4 * size.width
      state.initialize(
        to: cjxl_rows(
          pixels: memory.base.assumingMemoryBound(to: UInt8.self), width: size.width, height: size.height,
          counts: counts, complete: 0, begun: 0,
          advance: {
            if let context = $0 { Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().advance() }
          },
          context: nil))
      state.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
      state.deallocate()
    }

    /// Hands over the complete rows.
    private func advance() {
      sink.advance(by: state.pointee.complete - sink.rows)
      do throws(ImagingError) {
        try memory.recycle(
          before: sink.firstNeededRow * bytesPerRow,
          written: min(memory.byteCount, state.pointee.begun * bytesPerRow))
      } catch {
        // The memory must not be touched again.
        state.pointee.height = 0
        reader.fail(error)
      }
    }
  }

  /// Returns the resampled picture; `nil` if it has to be decoded as a whole.
  static func bitmap(
    of reader: JXLReader, options: DecodeOptions, shrinker: RowShrinker
  ) throws(ImagingError) -> Bitmap? {
    let size = reader.header.size
    let bytesPerRow = 4 * size.width
    guard !options.keepsPartial, !reader.header.isInked, bytesPerRow * size.height >= smallestPicture,
      let plans = try shrinker.plans(
        of: size, format: .rgba8, isOpaque: !reader.header.hasAlpha, profile: reader.profile),
      let memory = RollingRows(byteCount: bytesPerRow * size.height)
    else { return nil }
    let sink = try RowSink(plans, at: UnsafePointer(memory.base.assumingMemoryBound(to: UInt8.self)))
    var counts = [UInt32](repeating: 0, count: size.height)
    try counts.withUnsafeMutableBufferPointer { (counts) throws(ImagingError) in
      let transfer = Transfer(to: sink, at: memory, counts: counts.baseAddress, from: reader)
      try withExtendedLifetime(transfer) { () throws(ImagingError) in try reader.rows(to: transfer.state) }
    }
    guard sink.isComplete, let bitmap = shrinker.take(sink) else {
      throw .corrupt(.jxl, reason: "rows are missing", offset: nil)
    }
    return bitmap
  }
}
#endif
