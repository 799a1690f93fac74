package import Calotype

/// Encodes pictures for a terminal, with one interface for all protocols. A value without state.
package struct PictureEncoder: Hashable, Sendable {
  /// The graphics protocol.
  package var graphics: GraphicsProtocol
  /// The size of a cell of the screen.
  package var cell = CellMetrics.assumed
  var multiplexer = Multiplexer.none
  /// The colour behind transparent pixels; `nil` for the background of the terminal.
  package var background: PixelColor?
  /// The background of the terminal, for pixels that are neither clear nor opaque.
  package var terminalBackground = PixelColor.black
  /// Whether small pictures are enlarged.
  package var enlarges = false

  /// The cells as pictures see them.
  package var metrics: CellMetrics { graphics.metrics(of: cell) }

  /// Pictures are characters of text to the multiplexer.
  private var usesPlaceholders: Bool { graphics == .kitty && multiplexer == .tmux }

  /// A name that pictures can have, by number.
  package func id(_ number: UInt32) -> UInt32 {
    usesPlaceholders ? KittyPlaceholder.id(number) : max(1, number)
  }

  /// The largest size within so many cells.
  package func fit(_ picture: PixelSize, columns: Int, rows: Int) -> PictureFit {
    let limit = usesPlaceholders ? KittyPlaceholder.limit : Int.max
    return PictureFit(
      picture, columns: min(columns, limit), rows: min(rows, limit), cell: metrics, enlarges: enlarges)
  }

  /// Draws a picture at the upper left corner of a rectangle. It takes the cells that ``fit(_:columns:rows:)`` says and
  /// leaves the others as they are. The cursor is where it was in the end, and attributes are those of the terminal.
  ///
  /// - Parameters:
  ///   - bitmap: Of any size: it is brought to the largest that keeps its proportions within the rectangle.
  ///   - area: The rectangle.
  ///   - origin: The origin of the rectangle.
  ///   - id: Of ``id(_:)``; protocols without names ignore it.
  /// - Throws: The errors of resampling and encoding; `cancelled`.
  func draw(
    _ bitmap: Bitmap, in area: CellRectangle, of origin: CellOrigin, id: UInt32
  ) throws(ImagingError) -> [UInt8] {
    let fit = fit(bitmap.size, columns: area.columns, rows: area.rows)
    let picture = try prepared(bitmap, fit.pixels)
    var bytes = Array((ControlSequence.resetAttributes + ControlSequence.saveCursor).utf8)
    switch graphics {
    case .kitty:
      let whole = try padded(picture, fit)
      let placement: KittyGraphics.Placement = usesPlaceholders ? .placeholders : .cursor
      bytes.append(origin.move(toColumn: area.column, row: area.row))
      for command in KittyGraphics.transmit(
        whole, id: id, columns: fit.columns, rows: fit.rows, placement: placement)
      {
        bytes += multiplexer.passthrough(command)
      }
      if usesPlaceholders {
        let area = CellRectangle(
          column: area.column, row: area.row, columns: fit.columns, rows: fit.rows)
        appendPlaceholders(area, origin, id, to: &bytes)
      }
    case .iterm2:
      bytes.append(origin.move(toColumn: area.column, row: area.row))
      bytes += try InlineImage.show(picture, columns: fit.columns, rows: fit.rows)
    case .sixel:
      bytes.append(origin.move(toColumn: area.column, row: area.row))
      bytes += try Sixel.encode(picture)
    case .blocks, .blocks256:
      let rows = HalfBlocks.rows(of: picture, colors: graphics == .blocks ? .all : .indexed)
      for (row, text) in rows.prefix(area.rows).enumerated() {
        bytes.append(ControlSequence.restoreCursor)
        bytes.append(origin.move(toColumn: area.column, row: area.row + row))
        bytes += text
      }
    }
    bytes.append(ControlSequence.restoreCursor)
    return bytes
  }

  /// Overwrites a rectangle with spaces; the cursor is where it was in the end.
  func clear(_ area: CellRectangle, of origin: CellOrigin) -> [UInt8] {
    var bytes = Array((ControlSequence.resetAttributes + ControlSequence.saveCursor).utf8)
    for row in 0..<area.rows {
      bytes.append(ControlSequence.restoreCursor)
      bytes.append(origin.move(toColumn: area.column, row: area.row + row))
      bytes += [UInt8](repeating: UInt8(ascii: " "), count: area.columns)
    }
    bytes.append(ControlSequence.restoreCursor)
    return bytes
  }

  /// Takes a picture out of the memory of the terminal; nothing for those that keep none.
  package func forget(id: UInt32) -> [UInt8] {
    graphics == .kitty ? multiplexer.passthrough(KittyGraphics.delete(id: id)) : []
  }

  /// Whether ``move(id:to:of:)`` can.
  package var canMove: Bool { graphics == .kitty && (multiplexer == .none || usesPlaceholders) }

  /// Shows a picture that was drawn at another place, in as many cells; `nil` where it has to be drawn again. The cells where
  /// it was are to be cleared before.
  func move(id: UInt32, to area: CellRectangle, of origin: CellOrigin) -> [UInt8]? {
    guard canMove else { return nil }
    var bytes = Array((ControlSequence.resetAttributes + ControlSequence.saveCursor).utf8)
    if usesPlaceholders {
      appendPlaceholders(area, origin, id, to: &bytes)
    } else {
      bytes.append(origin.move(toColumn: area.column, row: area.row))
      bytes += KittyGraphics.place(id: id, columns: area.columns, rows: area.rows)
    }
    bytes.append(ControlSequence.restoreCursor)
    return bytes
  }

  /// At its size, and with no more transparency than the protocol has.
  private func prepared(_ bitmap: Bitmap, _ size: PixelSize) throws(ImagingError) -> Bitmap {
    var picture = try bitmap.converted(to: .rgba8).resampled(to: size)
    if let background { picture = try Transforms.Flatten(background: background).apply(to: picture) }
    switch graphics {
    case .kitty, .iterm2: return picture
    case .sixel, .blocks, .blocks256: return try picture.blended(over: terminalBackground)
    }
  }

  /// Filled up to whole cells, which the terminal stretches a picture to.
  private func padded(_ bitmap: Bitmap, _ fit: PictureFit) throws(ImagingError) -> Bitmap {
    let width = Int((Double(fit.columns) * metrics.pixelsAcross).rounded())
    let height = Int((Double(fit.rows) * metrics.pixelsDown).rounded())
    guard width > bitmap.width || height > bitmap.height else { return bitmap }
    return try Transforms.Pad(bottom: max(0, height - bitmap.height), right: max(0, width - bitmap.width))
      .apply(to: bitmap)
  }

  private func appendPlaceholders(
    _ area: CellRectangle, _ origin: CellOrigin, _ id: UInt32, to bytes: inout [UInt8]
  ) {
    for row in 0..<area.rows {
      bytes.append(ControlSequence.restoreCursor)
      bytes.append(origin.move(toColumn: area.column, row: area.row + row))
      bytes += KittyPlaceholder.row(row, columns: area.columns, id: id)
    }
  }
}
