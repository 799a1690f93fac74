import Calotype

/// Draws scenes into the cells of a table, and remembers the content of each cell.
///
/// At each point of its output, a cell with a caption shows the picture that the caption names, or none.
struct BrowsePainter: Sendable {
  private enum Shown: Equatable {
    case waiting
    case picture(version: Int)
    case failure(String)

    init(_ look: BrowseScene.Look) {
      switch look {
      case .waiting: self = .waiting
      case .picture(_, let version): self = .picture(version: version)
      case .failure(let text): self = .failure(text)
      }
    }
  }

  private struct Cell {
    let item: Int
    var area: CellRectangle
    var shown: Shown?
    var caption = ""
  }

  private var canvas: PictureCanvas
  private var cells: [Int: Cell] = [:]
  private var status = ""

  /// Written at once at most, so that keys are not kept waiting by slow terminals.
  private static let burst = 32 << 10

  init(encoder: PictureEncoder) {
    canvas = PictureCanvas(encoder: encoder, origin: .screen)
  }

  /// Clears the window.
  mutating func clear() -> [UInt8] {
    var bytes = canvas.forgetAll()
    bytes.append(ControlSequence.resetAttributes + ControlSequence.csi + "H" + ControlSequence.eraseBelow)
    (cells, status) = ([:], "")
    return bytes
  }

  /// Draws the differences between the scenes and the window.
  ///
  /// - Parameters:
  ///   - scenes: By the number of the cell.
  ///   - isUrgent: Whether to leave the rest for the next time; asked between pictures.
  ///   - write: Writes bytes to the terminal; `false` when the terminal is gone.
  /// - Returns: Whether everything was drawn.
  /// - Throws: ``Unwritable``.
  mutating func paint(
    _ scenes: [Int: BrowseScene], until isUrgent: () -> Bool, write: ([UInt8]) -> Bool
  ) throws -> Bool {
    var bytes = rearrange(scenes)
    func flush() throws {
      guard write(ControlSequence.update(bytes)) else { throw Unwritable() }
      bytes = []
    }
    for (number, scene) in scenes.sorted(by: { ($0.value.item, $0.key) < ($1.value.item, $1.key) }) {
      if isUrgent() {
        try flush()
        return false
      }
      do throws(ImagingError) {
        bytes += try draw(scene, in: number)
      } catch {
        // Cancelled. What has been drawn is known.
        try flush()
        return false
      }
      if bytes.count > Self.burst { try flush() }
    }
    try flush()
    return true
  }

  /// The terminal is gone.
  struct Unwritable: Error {}

  /// Writes the last line of the window.
  ///
  /// - Parameter text: At most as wide as the window.
  mutating func status(_ text: TerminalText, row: Int, columns: Int) -> [UInt8] {
    let line = String(text.padded(to: columns))
    guard line != status else { return [] }
    status = line
    return Array("\(Self.move(0, row))\(ControlSequence.csi)7m\(line)\(ControlSequence.resetAttributes)".utf8)
  }

  // MARK: Cells

  /// Empties the cells that are to show something else, and moves pictures that are to be at another place, as far as the
  /// terminal can do that. Before anything is drawn, because it may be drawn where they were.
  private mutating func rearrange(_ scenes: [Int: BrowseScene]) -> [UInt8] {
    var bytes: [UInt8] = []
    var moving: [(number: Int, to: CellRectangle)] = []
    var moved: [(number: Int, column: Int, row: Int)] = []
    for (number, cell) in cells.sorted(by: { $0.key < $1.key }) {
      if let scene = scenes[number], scene.item == cell.item {
        if scene.area != cell.area {
          bytes += blank(caption: cell.area)
          moving.append((number, scene.area))
        }
        continue
      }
      bytes += blank(caption: cell.area)
      bytes += empty(number, cell)
      cells[number] = nil
    }
    for (number, area) in moving {
      guard let cell = cells[number] else { continue }
      cells[number] = Cell(item: cell.item, area: area)
      guard let from = canvas.area(of: number), canvas.encoder.canMove else {
        bytes += empty(number, cell)
        continue
      }
      bytes += canvas.vacate(number)
      cells[number]?.shown = cell.shown
      moved.append(
        (number, from.column - cell.area.column + area.column, from.row - cell.area.row + area.row))
    }
    for (number, column, row) in moved {
      bytes += canvas.move(number, toColumn: column, row: row) ?? []
    }
    return bytes
  }

  private mutating func empty(_ number: Int, _ cell: Cell) -> [UInt8] {
    switch cell.shown {
    case nil: []
    // It may be one that could not be drawn.
    case .picture: canvas.area(of: number) == nil ? fill(cell.area) : canvas.remove(number)
    case .waiting, .failure: fill(cell.area)
    }
  }

  /// - Throws: `cancelled`; the cell is as it was then.
  private mutating func draw(_ scene: BrowseScene, in number: Int) throws(ImagingError) -> [UInt8] {
    var cell = cells[number] ?? Cell(item: scene.item, area: scene.area)
    var bytes: [UInt8] = []
    let wanted = Shown(scene.look)
    if cell.shown != wanted {
      switch scene.look {
      case .waiting:
        bytes += empty(number, cell)
        bytes += fill(scene.area, with: shade)
      case .picture(let bitmap, _):
        if canvas.area(of: number) == nil { bytes += empty(number, cell) }
        do throws(ImagingError) {
          bytes += try canvas.draw(bitmap, as: number, in: centered(bitmap.size, scene.area))
        } catch {
          if case .cancelled = error { throw error }
          bytes += canvas.remove(number) + write("\(error)", in: scene.area)
        }
      case .failure(let text):
        bytes += empty(number, cell)
        bytes += write(text, in: scene.area)
      }
      cell.shown = wanted
    }
    if cell.caption != scene.caption {
      bytes += blank(caption: scene.area)
      bytes.append(Self.move(scene.area.column, scene.area.row + scene.area.rows) + scene.caption)
      cell.caption = scene.caption
    }
    cells[number] = cell
    return bytes
  }

  private func centered(_ picture: PixelSize, _ area: CellRectangle) -> CellRectangle {
    let fit = canvas.encoder.fit(picture, columns: area.columns, rows: area.rows)
    return CellRectangle(
      column: area.column + (area.columns - fit.columns) / 2, row: area.row + (area.rows - fit.rows) / 2,
      columns: fit.columns, rows: fit.rows)
  }

  // MARK: Text

  private static func move(_ column: Int, _ row: Int) -> String {
    CellOrigin.screen.move(toColumn: column, row: row)
  }

  /// The background of a cell that waits: a little off that of the terminal.
  private var shade: String {
    let background = canvas.encoder.terminalBackground
    let isLight = Int(background.red) + Int(background.green) + Int(background.blue) > 3 * 127
    return "\(ControlSequence.csi)48;5;\(isLight ? 254 : 236)m"
  }

  private func fill(_ area: CellRectangle, with attributes: String = "") -> [UInt8] {
    var text = attributes
    for row in 0..<area.rows {
      text += Self.move(area.column, area.row + row) + String(repeating: " ", count: area.columns)
    }
    return Array((text + (attributes.isEmpty ? "" : ControlSequence.resetAttributes)).utf8)
  }

  private func blank(caption area: CellRectangle) -> [UInt8] {
    fill(CellRectangle(column: area.column, row: area.row + area.rows, columns: area.columns, rows: 1))
  }

  /// In red, as many lines as there is room for.
  private func write(_ text: String, in area: CellRectangle) -> [UInt8] {
    var bytes = Array("\(ControlSequence.csi)31m".utf8)
    for (row, line) in TerminalText.lines(of: text, cells: area.columns).prefix(area.rows).enumerated() {
      bytes.append(Self.move(area.column, area.row + row) + line.text)
    }
    bytes.append(ControlSequence.resetAttributes)
    return bytes
  }
}
