import CalotypeImaging
import FoundationEssentials

/// A source of the frames of a GIF that decodes each row by row.
///
/// giflib only reads forwards: a frame before the last one is reached from the beginning, past the data of others.
final class GIFLibFrameSource: FrameDrawing {
  private let data: Data
  private let structure: GIFLibStructure
  private let allowsPartial: Bool
  private var file: GIFLibFile?
  /// The next frame in `file`.
  private var next = 0

  init(_ data: Data, _ structure: GIFLibStructure, _ options: DecodeOptions) {
    (self.data, self.structure) = (data, structure)
    allowsPartial = options.allowsPartial
  }

  func draw(
    _ index: Int, onto plane: PixelPlane, blends: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let file = try seek(to: index, watch)
    let frame = structure.frames[index]
    var rows = 0
    do throws(ImagingError) {
      if frame.size.pixelCount == 0 {
        try file.skipPixels()
      } else {
        try drawRows(of: frame, from: file, onto: plane, rows: &rows, watch)
      }
    } catch {
      // The position of giflib is unknown.
      self.file = nil
      switch error {
      case .corrupt, .truncated:
        if allowsPartial, rows > 0 { return false }
      default: break
      }
      throw error
    }
    (self.file, next) = (file, index + 1)
    return true
  }

  /// Returns the file, positioned before the data of a frame.
  private func seek(to index: Int, _ watch: DecodeLimits.DeadlineChecker) throws(ImagingError) -> GIFLibFile {
    let file: GIFLibFile
    if let old = self.file, next <= index { file = old } else { (file, next) = (try GIFLibFile(data), 0) }
    self.file = nil
    while true {
      try watch.check()
      switch try file.next() {
      case .end: throw .truncated(.gif, byteCount: data.count)
      case .block: try file.readBlock()
      case .image:
        _ = try file.readDescriptor()
        if next == index { return file }
        try file.skipPixels()
        next += 1
      }
    }
  }

  private func drawRows(
    of frame: GIFLibStructure.Frame, from file: GIFLibFile, onto plane: PixelPlane, rows: inout Int,
    _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) {
    let area = structure.area(of: frame)
    let colors = file.colors(transparent: frame.transparent)
    var indices = [UInt8](repeating: 0, count: frame.size.width)
    for (first, step) in Self.passes(isInterlaced: frame.isInterlaced) {
      for row in stride(from: first, to: frame.size.height, by: step) {
        if rows & 31 == 0 { try watch.check() }
        try indices.withUnsafeMutableBufferPointer { buffer in
          Result { () throws(ImagingError) in try file.readRow(buffer) }
        }.get()
        rows += 1
        guard area.rows.contains(frame.y + row) else { continue }
        let target = plane.row(frame.y + row, from: area.x, count: area.size.width)
        for column in 0..<area.size.width where indices[column] != frame.transparent {
          target.storeBytes(of: colors[Int(indices[column])], toByteOffset: 4 * column, as: UInt32.self)
        }
      }
    }
  }

  /// Returns the first row and step of each pass (GIF89a specification, appendix E).
  private static func passes(isInterlaced: Bool) -> [(first: Int, step: Int)] {
    isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
  }
}
