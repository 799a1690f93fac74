import Calotype

/// A picture and its caption, below everything that was printed before. The cursor rests at the beginning of the line after
/// them, so that text printed after any end of the process stands below.
///
/// Methods return the bytes to write; no I/O.
struct PictureBlock: Sendable {
  /// Rows of the picture.
  private(set) var rows = 0
  /// Cells side by side of the picture.
  private(set) var columns = 0
  private var canvas: PictureCanvas
  /// The caption; `nil` for no line at all.
  private var text: String?

  init(encoder: PictureEncoder) {
    canvas = PictureCanvas(encoder: encoder, origin: .above(lines: 0))
  }

  /// Shows a picture, in place of the one before.
  ///
  /// - Parameters:
  ///   - limit: Cells side by side at most.
  ///   - rowLimit: Cells one below the other at most.
  /// - Throws: as ``PictureEncoder/draw(_:in:of:id:)``.
  mutating func show(_ bitmap: Bitmap, columns limit: Int, rows rowLimit: Int) throws(ImagingError) -> [UInt8]
  {
    let fit = canvas.encoder.fit(bitmap.size, columns: limit, rows: rowLimit)
    var bytes: [UInt8] = []
    if fit.rows != rows || fit.columns != columns {
      bytes += canvas.remove(0)
      bytes += resize(rows: fit.rows, caption: text)
      columns = fit.columns
    }
    let area = CellRectangle(column: 0, row: 0, columns: fit.columns, rows: fit.rows)
    return ControlSequence.update(bytes + (try canvas.draw(bitmap, as: 0, in: area)))
  }

  /// Writes the caption, which must not be as wide as the window.
  mutating func caption(_ text: String) -> [UInt8] {
    guard self.text != nil else { return resize(rows: rows, caption: text) }
    self.text = text
    return Array("\r\(ControlSequence.up(1))\(text)\(ControlSequence.eraseLine)\r\n".utf8)
  }

  /// Takes the caption away; the cursor rests where it was.
  mutating func removeCaption() -> [UInt8] {
    guard text != nil else { return [] }
    text = nil
    canvas.origin = .above(lines: rows)
    return Array("\r\(ControlSequence.up(1))\(ControlSequence.eraseBelow)".utf8)
  }

  /// Leaves what was drawn where it is: the cursor is somewhere else, and everything is drawn again there.
  mutating func startAgain() -> [UInt8] {
    let caption = text
    finish()
    return caption.map { self.caption($0) } ?? []
  }

  /// Leaves everything where it is; the next picture stands below.
  mutating func finish() {
    canvas.leave(0)
    (rows, columns, text) = (0, 0, nil)
    canvas.origin = .above(lines: 0)
  }

  /// Makes room, which may scroll the window, clears what was there, and writes the caption.
  ///
  /// The picture is gone then; with none, nothing but the caption is there.
  private mutating func resize(rows: Int, caption: String?) -> [UInt8] {
    var bytes = "\r" + ControlSequence.up(lines) + ControlSequence.eraseBelow
    (self.rows, text) = (rows, caption)
    canvas.origin = .above(lines: lines)
    bytes += String(repeating: "\r\n", count: rows)
    if let caption { bytes += caption + "\r\n" }
    return Array(bytes.utf8)
  }

  private var lines: Int { rows + (text == nil ? 0 : 1) }
}
