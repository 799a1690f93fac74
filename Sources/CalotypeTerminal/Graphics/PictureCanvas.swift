import Calotype

/// The pictures on a terminal, each in a rectangle of cells: draws, replaces, moves and removes them. Returns the bytes to
/// write, and keeps no pixels.
///
/// ```swift
/// var canvas = PictureCanvas(encoder: encoder, origin: .screen)
/// write(try canvas.draw(bitmap, as: 0, in: CellRectangle(column: 0, row: 2, columns: 20, rows: 8)))
/// if let bytes = canvas.move(0, toColumn: 0, row: 10) { write(bytes) } // else draw it again
/// write(canvas.remove(0))
/// ```
struct PictureCanvas: Sendable {
  private struct Picture {
    let id: UInt32
    /// The cells that it takes.
    let area: CellRectangle
  }

  let encoder: PictureEncoder
  /// The origin of rectangles.
  var origin: CellOrigin
  private var pictures: [Int: Picture] = [:]
  private var nextNumber: UInt32

  /// - Parameters:
  ///   - encoder: The encoder of pictures.
  ///   - origin: The origin of rectangles.
  ///   - firstID: Where to begin with names of pictures in the terminal; other programs may have pictures there.
  init(
    encoder: PictureEncoder, origin: CellOrigin,
    firstID: UInt32 = UInt32.random(in: 1 << 16..<1 << 30)
  ) {
    self.encoder = encoder
    self.origin = origin
    nextNumber = firstID
  }

  /// The cells that a picture takes, if it is there.
  func area(of picture: Int) -> CellRectangle? { pictures[picture]?.area }

  /// Draws a picture, in place of the one before of the same number, which stands until the new one does.
  ///
  /// - Throws: as ``PictureEncoder/draw(_:in:of:id:)``; the one before stands then.
  mutating func draw(_ bitmap: Bitmap, as picture: Int, in area: CellRectangle) throws(ImagingError)
    -> [UInt8]
  {
    let id = encoder.id(nextNumber)
    let before = pictures[picture]
    let fit = encoder.fit(bitmap.size, columns: area.columns, rows: area.rows)
    var area = area
    (area.columns, area.rows) = (fit.columns, fit.rows)
    let drawn = try encoder.draw(bitmap, in: area, of: origin, id: id)
    var bytes: [UInt8] = []
    // Sixels leave what is under clear pixels, and a smaller picture what is beside it.
    if let before, before.area != area || (encoder.graphics == .sixel && !bitmap.isOpaque) {
      bytes += encoder.clear(before.area, of: origin)
    }
    bytes += drawn
    if let before { bytes += encoder.forget(id: before.id) }
    nextNumber &+= 1
    pictures[picture] = Picture(id: id, area: area)
    return bytes
  }

  /// Clears the cells of a picture, which is to be moved or drawn elsewhere; the terminal remembers it.
  func vacate(_ picture: Int) -> [UInt8] {
    pictures[picture].map { encoder.clear($0.area, of: origin) } ?? []
  }

  /// Moves a picture that was vacated, as it is; `nil` where the terminal cannot: it has to be drawn again then.
  mutating func move(_ picture: Int, toColumn column: Int, row: Int) -> [UInt8]? {
    guard let before = pictures[picture] else { return [] }
    var area = before.area
    (area.column, area.row) = (column, row)
    guard let moved = encoder.move(id: before.id, to: area, of: origin) else { return nil }
    pictures[picture] = Picture(id: before.id, area: area)
    return moved
  }

  /// Takes a picture away, and clears its cells.
  mutating func remove(_ picture: Int) -> [UInt8] {
    guard let before = pictures.removeValue(forKey: picture) else { return [] }
    return encoder.clear(before.area, of: origin) + encoder.forget(id: before.id)
  }

  /// Deletes all pictures from the memory of the terminal. The caller clears their cells.
  mutating func forgetAll() -> [UInt8] {
    defer { pictures = [:] }
    return pictures.sorted { $0.key < $1.key }.flatMap { encoder.forget(id: $0.value.id) }
  }

  /// Leaves a picture where it is: it is no longer ours.
  mutating func leave(_ picture: Int) { pictures[picture] = nil }
}
