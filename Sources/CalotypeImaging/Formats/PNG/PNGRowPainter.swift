import CPixels
import Glibc

/// A painter that converts filtered rows to pixels on a canvas. It takes each row once, in the order of the file.
final class PNGRowPainter {
  let header: PNGHeader
  let passes: [PNGPass]
  /// Bytes of all rows, filter types included.
  let inflatedBytes: Int
  let canvas: PixelCanvas
  /// The current pass and the next row in it.
  private(set) var pass = 0
  private(set) var row = 0
  /// The number of rows painted so far, of all passes.
  private(set) var rows = 0

  private let area: PixelRectangle
  private let blends: Bool
  private let expander: PNGExpander
  /// A row of pixels before they are copied to the canvas; `nil` if rows are made in place.
  private var line: UnsafeMutableRawPointer?

  /// Creates a painter of a picture of the size of `area`, at that rectangle of the canvas.
  ///
  /// `blends` composites the pixels over the existing ones, which must be initialised then.
  init(
    _ bytes: UnsafeRawBufferPointer, _ structure: PNGStructure, on canvas: PixelCanvas, area: PixelRectangle,
    blends: Bool = false
  ) throws(ImagingError) {
    header = structure.header.resized(to: area.size)
    passes = PNGPass.all(of: header)
    inflatedBytes = try header.inflatedBytes(passes)
    self.canvas = canvas
    self.area = area
    self.blends = blends
    var line: UnsafeMutableRawPointer?
    if header.isInterlaced || blends {
      line = malloc(area.size.width * canvas.format.bytesPerPixel)
      if line == nil { throw .outOfMemory(byteCount: area.size.width * canvas.format.bytesPerPixel) }
    }
    self.line = line
    expander = PNGExpander(bytes, structure, header: header, format: canvas.format)
  }

  deinit {
    free(line)
  }

  /// A Boolean value that indicates whether all rows have been painted.
  var isComplete: Bool { pass == passes.count }

  /// Bytes of the next row, without its filter type.
  var rowBytes: Int { header.rowBytes(width: passes[pass].size.width) }

  /// A Boolean value that indicates whether rows are written straight to the canvas, without gaps between them.
  var fillsCanvas: Bool { line == nil && area == PixelRectangle(canvas.size) }

  /// Undoes the filter of a row. `prior` is the row above it in the same pass, if any.
  ///
  /// - Throws: `corrupt` for an unknown filter.
  func unfilter(
    _ filtered: UnsafeMutablePointer<UInt8>, bytes: Int, prior: UnsafePointer<UInt8>?
  ) throws(ImagingError) {
    try expander.unfilter(filtered, bytes: bytes, prior: prior, row: rows)
  }

  /// Converts the next row, without its filter type, to pixels. Requires ``isComplete`` to be `false`.
  func paint(_ samples: UnsafePointer<UInt8>) {
    let current = passes[pass]
    let bytesPerPixel = canvas.format.bytesPerPixel
    let target = canvas.address(x: area.x + current.x, y: area.y + current.y + row * current.dy)
      .assumingMemoryBound(to: UInt8.self)
    if let line = line?.assumingMemoryBound(to: UInt8.self) {
      expander.expand(samples, to: line, count: current.size.width)
      cpng_place(line, target, current.size.width, current.dx, CInt(bytesPerPixel), blends ? 1 : 0)
    } else {
      expander.expand(samples, to: target, count: current.size.width)
    }
    rows += 1
    row += 1
    if row == current.size.height {
      pass += 1
      row = 0
    }
  }
}
