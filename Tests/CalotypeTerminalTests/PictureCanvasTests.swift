import Calotype
import CalotypeTestKit
import TerminalScreens
import Testing

@testable import CalotypeTerminal

/// Pictures in rectangles of a screen.
@Suite("Terminal graphics: drawing", .timeLimit(.minutes(5)))
struct PictureCanvasTests {
  private static let cell = CellMetrics(width: 10, height: 20)

  private func canvas(_ graphics: GraphicsProtocol, _ change: (inout PictureEncoder) -> Void = { _ in })
    -> PictureCanvas
  {
    var encoder = PictureEncoder(graphics: graphics, cell: Self.cell)
    change(&encoder)
    return PictureCanvas(encoder: encoder, origin: .screen, firstID: 100)
  }

  private static let red = PixelColor(red: 255, green: 0, blue: 0)
  private static let redPixel: UInt32 = 0xFF00_00FF

  @Test("a picture is as large as it can be with its proportions, and never larger than it is")
  func fit() {
    let wide = PictureFit(PixelSize(width: 4000, height: 1000), columns: 80, rows: 22, cell: Self.cell)
    #expect(wide.columns == 80 && wide.rows == 10 && wide.pixels == PixelSize(width: 800, height: 200))
    let tall = PictureFit(PixelSize(width: 1000, height: 4000), columns: 80, rows: 22, cell: Self.cell)
    #expect(tall.columns == 11 && tall.rows == 22 && tall.pixels == PixelSize(width: 110, height: 440))
    let small = PictureFit(PixelSize(width: 15, height: 21), columns: 80, rows: 22, cell: Self.cell)
    #expect(small.columns == 2 && small.rows == 2 && small.pixels == PixelSize(width: 15, height: 21))
    let large = PictureFit(
      PixelSize(width: 15, height: 21), columns: 10, rows: 22, cell: Self.cell, enlarges: true)
    #expect(large.columns == 10 && large.rows == 7 && large.pixels == PixelSize(width: 100, height: 140))
    let blocks = CellMetrics.halfBlocks(of: Self.cell)
    let text = PictureFit(PixelSize(width: 160, height: 90), columns: 80, rows: 22, cell: blocks)
    #expect(text.columns == 78 && text.rows == 22 && text.pixels == PixelSize(width: 78, height: 44))
    let dot = PictureFit(PixelSize(width: 100_000, height: 1), columns: 80, rows: 22, cell: Self.cell)
    #expect(dot.rows == 1 && dot.pixels == PixelSize(width: 800, height: 1))
  }

  @Test(
    "every protocol draws at the cell that it is told, and leaves the cursor",
    arguments: GraphicsProtocol.allCases)
  func place(graphics: GraphicsProtocol) throws {
    var canvas = canvas(graphics)
    var screen = PictureScreen(columns: 60, rows: 20)
    screen.write(Array("\u{1B}[20;3H".utf8))
    let side = graphics.isBlocks ? 8 : 80
    let picture = try SampleImages.bitmap(width: side, height: side, color: Self.red)
    screen.write(
      try canvas.draw(picture, as: 1, in: CellRectangle(column: 5, row: 3, columns: 30, rows: 10)))
    #expect(screen.cursor == (2, 19) && screen.faults.isEmpty && screen.scrolled == 0, "\(screen.faults)")
    #expect(!screen.isUpdating)
    #expect(canvas.area(of: 1) == CellRectangle(column: 5, row: 3, columns: 8, rows: 4))
    switch graphics {
    case .kitty:
      #expect(
        screen.placements[100]
          == PictureScreen.Placement(column: 5, row: 3, columns: 8, rows: 4, isVirtual: false))
    case .iterm2, .sixel:
      #expect(screen.strings.map(\.column) == [5] && screen.strings.map(\.row) == [3])
    case .blocks:
      #expect(screen.blocks(column: 5, row: 3, columns: 8, rows: 4).allSatisfy { $0 == Self.redPixel })
      #expect(screen.cells[2].allSatisfy { $0 == .init() } && screen.cells[7].allSatisfy { $0 == .init() })
    case .blocks256:
      #expect(screen.blocks(column: 5, row: 3, columns: 8, rows: 4).allSatisfy { $0 == 0x0100_0000 | 196 })
    }
    screen.write(canvas.remove(1))
    #expect(screen.pictures.isEmpty && screen.lines.allSatisfy { $0.isEmpty })
    #expect(screen.blocks(column: 5, row: 3, columns: 8, rows: 4).allSatisfy { $0 == 0 })
    #expect(canvas.area(of: 1) == nil && screen.cursor == (2, 19))
  }

  @Test("pictures of a terminal with a memory are replaced, moved and forgotten there")
  func kitty() throws {
    var canvas = canvas(.kitty)
    var screen = PictureScreen(columns: 60, rows: 20)
    let picture = try SampleImages.bitmap(width: 35, height: 50)
    let area = CellRectangle(column: 0, row: 0, columns: 10, rows: 10)
    for _ in 0..<3 {
      screen.write(try canvas.draw(picture, as: 7, in: area))
      // Only the newest is kept.
      #expect(screen.pictures.count == 1 && screen.placements.count == 1)
    }
    #expect(screen.transmitted == [100, 101, 102])
    // Filled up to whole cells, so that nothing is stretched.
    #expect(screen.pictures[102]?.width == 40 && screen.pictures[102]?.height == 60)
    #expect(screen.pictures[102]?.pixels[39] == 0)
    let moved = canvas.move(7, toColumn: 12, row: 9)
    screen.write(try #require(moved))
    #expect(screen.placements[102].map { [$0.column, $0.row, $0.columns, $0.rows] } == [12, 9, 4, 3])
    #expect(screen.transmitted.count == 3)
    canvas.leave(7)
    #expect(canvas.remove(7).isEmpty && screen.pictures.count == 1)
    #expect(screen.faults.isEmpty, "\(screen.faults)")
    var blocks = self.canvas(.blocks)
    _ = try blocks.draw(picture, as: 7, in: area)
    #expect(blocks.move(7, toColumn: 1, row: 1) == nil)
  }

  @Test("in tmux, pictures are sent past it and stand in placeholders")
  func tmux() throws {
    var canvas = canvas(.kitty) { $0.multiplexer = .tmux }
    let picture = try SampleImages.bitmap(width: 40, height: 40, color: Self.red)
    let bytes = try canvas.draw(picture, as: 1, in: CellRectangle(column: 2, row: 1, columns: 10, rows: 10))
    let text = String(decoding: bytes, as: UTF8.self)
    let begin = try #require(text.firstRange(of: "\u{1B}Ptmux;"))
    let end = try #require(text.firstRange(of: "\u{1B}\u{1B}\\\u{1B}\\"))
    let command = text[begin.upperBound..<end.lowerBound] + "\u{1B}\\"
    var screen = PictureScreen(columns: 60, rows: 20)
    screen.write(Array(command.replacing("\u{1B}\u{1B}", with: "\u{1B}").utf8))
    screen.write(Array(text[..<begin.lowerBound].utf8) + Array(text[end.upperBound...].utf8))
    #expect(screen.faults.isEmpty, "\(screen.faults)")
    let (id, placement) = try #require(screen.placements.first)
    #expect(placement.isVirtual && placement.columns == 4 && placement.rows == 2)
    for row in 0..<2 {
      #expect(screen.cells[1 + row].count { $0.scalar == "\u{10EEEE}" } == 4)
      #expect(screen.cells[1 + row][2].marks.first == KittyPlaceholder.marks[row])
      #expect(screen.cells[1 + row][2].foreground == 0x0100_0000 | id & 255)
    }
  }

  @Test("transparent pixels are laid on a colour, or on what the terminal has", arguments: [true, false])
  func transparency(hasBackground: Bool) throws {
    let picture = try Bitmap(size: PixelSize(width: 3, height: 2)) { target in
      for index in 0..<6 {
        for channel in 0..<3 { target[4 * index + channel] = 200 }
        target[4 * index + 3] = [0, 128, 255][index % 3]
      }
      return false
    }
    var canvas = canvas(.blocks) {
      $0.terminalBackground = PixelColor(red: 100, green: 100, blue: 100)
      if hasBackground { $0.background = .black }
    }
    var screen = PictureScreen(columns: 10, rows: 4)
    screen.write(try canvas.draw(picture, as: 0, in: CellRectangle(column: 0, row: 0, columns: 3, rows: 1)))
    let shown = screen.blocks(columns: 3, rows: 1).prefix(3).map { $0 & 0xFF00_00FF }
    // Half of 200 over 100 is 150, over black 100.
    #expect(
      shown == (hasBackground ? [0xFF00_0000, 0xFF00_0064, 0xFF00_00C8] : [0, 0xFF00_0096, 0xFF00_00C8]))
  }

  @Test("a block of lines scrolls the window, is drawn over in place, and is left behind")
  func block() throws {
    var block = PictureBlock(encoder: PictureEncoder(graphics: .blocks, cell: Self.cell))
    var screen = PictureScreen(columns: 40, rows: 10)
    screen.write(Array("\u{1B}[9;1Hbefore\r\n".utf8))
    screen.write(block.caption("loading"))
    #expect(screen.lines.filter { !$0.isEmpty } == ["before", "loading"] && screen.cursor == (0, 9))
    let red = try SampleImages.bitmap(width: 8, height: 12, color: Self.red)
    screen.write(try block.show(red, columns: 40, rows: 8))
    screen.write(block.caption("red"))
    #expect(screen.cursor == (0, 9) && screen.text(8) == "red" && screen.text(1) == "before")
    #expect(screen.blocks(row: 2, columns: 8, rows: 6).allSatisfy { $0 == Self.redPixel })
    let white = try SampleImages.bitmap(width: 8, height: 12, color: .white)
    screen.write(try block.show(white, columns: 40, rows: 8))
    #expect(screen.blocks(row: 2, columns: 8, rows: 6).allSatisfy { $0 == 0xFFFF_FFFF })
    #expect(block.rows == 6 && block.columns == 8)
    let small = try SampleImages.bitmap(width: 4, height: 4, color: .white)
    screen.write(try block.show(small, columns: 40, rows: 8))
    #expect(screen.blocks(row: 2, columns: 4, rows: 2).allSatisfy { $0 == 0xFFFF_FFFF })
    #expect(screen.blocks(row: 4, columns: 40, rows: 6).allSatisfy { $0 == 0 } && screen.cursor == (0, 5))
    block.finish()
    screen.write(Array("after".utf8))
    #expect(screen.text(5) == "after" && screen.faults.isEmpty)
  }
}
