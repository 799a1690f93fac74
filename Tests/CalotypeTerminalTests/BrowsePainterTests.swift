import Calotype
import CalotypeTestKit
import TerminalScreens
import Testing

@testable import CalotypeTerminal

/// Whatever part of it has reached the terminal, a cell with a caption shows nothing but what the caption says.
@Suite("Browse: drawing", .timeLimit(.minutes(5)))
struct BrowsePainterTests {
  private static let layout = BrowseLayout(
    window: Output.Size(columns: 26, rows: 16), columns: 5, rows: 3)

  /// A colour that says which item and which version it is of.
  private static func color(_ item: Int, _ version: Int) -> PixelColor {
    PixelColor(red: UInt8(item + 1), green: UInt8(version), blue: 200)
  }

  private struct Model {
    var top = 0
    /// Version and size of the picture of an item; 0 for none yet, -1 for never.
    var versions: [Int: Int] = [:]

    func scenes() throws -> [Int: BrowseScene] {
      let layout = BrowsePainterTests.layout
      let first = top * layout.across
      return try Dictionary(
        uniqueKeysWithValues: (first..<first + layout.capacity).map { item in
          let version = versions[item] ?? 0
          let look: BrowseScene.Look
          switch version {
          case 0: look = .waiting
          case -1: look = .failure("no \(item)")
          default:
            let (width, height) = version.isMultiple(of: 2) ? (4, 6) : (5, 2)
            let picture = try SampleImages.bitmap(
              width: width, height: height, color: BrowsePainterTests.color(item, version))
            look = .picture(picture, version: version)
          }
          return (
            item % layout.capacity,
            BrowseScene(
              item: item, area: layout.area(item - first), look: look,
              caption: "#\(item)" + (version == 0 ? "…" : "."))
          )
        })
    }
  }

  /// Every cell that has a caption shows nothing of another image.
  private func check(_ screen: PictureScreen, isWhole: Model?) {
    for place in 0..<Self.layout.capacity {
      let area = Self.layout.area(place)
      let caption = String(
        String.UnicodeScalarView(
          screen.cells[area.row + area.rows][area.column..<area.column + area.columns].map(\.scalar)))
      // Once it is there to its end.
      guard caption.contains(where: { $0 == "." || $0 == "…" }) else { continue }
      let item = Int(caption.drop { $0 != "#" }.dropFirst().prefix { $0.isNumber })
      var colors: Set<UInt32> = []
      var text = ""
      for row in area.row..<area.row + area.rows {
        for cell in screen.cells[row][area.column..<area.column + area.columns] {
          if cell.scalar == " " || cell.scalar == "▀" || cell.scalar == "▄" {
            colors.formUnion([cell.background, cell.scalar == " " ? nil : cell.foreground].compactMap { $0 })
          } else {
            text.unicodeScalars.append(cell.scalar)
          }
        }
      }
      guard let item else { continue }
      let shade: UInt32 = 0x0100_0000 | 236
      // The item is in the red sample.
      #expect(
        colors.subtracting([shade]).allSatisfy { Int($0 & 0xFF) == item + 1 },
        "\(caption): \(colors), \(text)")
      #expect("no\(item)".hasPrefix(text), "\(caption): \(text)")
      guard let isWhole else { continue }
      #expect(item == isWhole.top * Self.layout.across + place)
      switch isWhole.versions[item] ?? 0 {
      case 0: #expect(colors == [shade])
      case -1: #expect(colors.isEmpty && text == "no\(item)")
      case let version:
        #expect(colors == [0xFFC8_0000 | UInt32(version) << 8 | UInt32(item + 1)], "\(caption): \(colors)")
      }
    }
  }

  @Test(
    "captions and pictures agree at every byte, however it is scrolled and whatever arrives", arguments: 0..<8
  )
  func prefixes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var painter = BrowsePainter(encoder: PictureEncoder(graphics: .blocks))
    var screen = PictureScreen(columns: 26, rows: 16)
    var model = Model()
    screen.write(painter.clear())
    for _ in 0..<60 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: model.top = max(0, model.top - 1)
      case 1: model.top = min(40, model.top + 1)
      case 2: model.top = Int.random(in: 0...40, using: &generator)
      default:
        let item =
          model.top * Self.layout.across + Int.random(in: 0..<Self.layout.capacity, using: &generator)
        model.versions[item] = [-1, 1, 2, 3, 4].randomElement(using: &generator)
      }
      var urgencies = Int.random(in: 0...20, using: &generator)
      var isDone = false
      while !isDone {
        isDone = try painter.paint(
          model.scenes(),
          until: {
            urgencies -= 1
            return urgencies == 0
          },
          write: { bytes in
            // In pieces, and looked at after each.
            for start in stride(from: 0, to: bytes.count, by: 37) {
              screen.write(Array(bytes[start..<min(bytes.count, start + 37)]))
              check(screen, isWhole: nil)
            }
            return true
          })
      }
      check(screen, isWhole: model)
    }
    #expect(screen.faults.isEmpty && screen.scrolled == 0 && screen.hasPlainPen, "\(screen.faults)")
  }

  @Test("a terminal with a memory gets each picture once, and keeps no more than it shows", arguments: 0..<4)
  func kitty(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let encoder = PictureEncoder(graphics: .kitty, cell: CellMetrics(width: 1, height: 2))
    var painter = BrowsePainter(encoder: encoder)
    var screen = PictureScreen(columns: 26, rows: 16)
    var model = Model()
    for item in 0..<200 { model.versions[item] = item % 5 == 0 ? 0 : 2 }
    func paint() throws {
      _ = try painter.paint(model.scenes(), until: { false }) { bytes in
        screen.write(bytes)
        return true
      }
    }
    try paint()
    for _ in 0..<40 {
      let before = screen.transmitted.count
      let visible = model.top
      model.top = max(0, min(40, model.top + Int.random(in: -2...2, using: &generator)))
      try paint()
      let rows = min(Self.layout.down, abs(model.top - visible))
      // What stays in the window is moved.
      #expect(screen.transmitted.count - before <= rows * Self.layout.across)
      #expect(
        screen.pictures.count <= Self.layout.capacity && screen.placements.count == screen.pictures.count)
      for place in 0..<Self.layout.capacity {
        let area = Self.layout.area(place)
        let item = model.top * Self.layout.across + place
        let there = screen.placements.filter {
          (area.column..<area.column + area.columns).contains($0.value.column)
            && (area.row..<area.row + area.rows).contains($0.value.row)
        }
        #expect(there.count == (item % 5 == 0 ? 0 : 1))
        for (id, _) in there { #expect(screen.pictures[id]?.pixels.first.map { Int($0 & 0xFF) } == item + 1) }
      }
    }
    screen.write(painter.clear())
    #expect(screen.pictures.isEmpty && screen.faults.isEmpty, "\(screen.faults)")
    #expect(screen.lines.allSatisfy { $0.isEmpty })
  }

  @Test("what was drawn when it was cancelled is known, and taken away")
  func cancelled() async throws {
    var painter = BrowsePainter(
      encoder: PictureEncoder(graphics: .kitty, cell: CellMetrics(width: 1, height: 2)))
    // Large enough to be made smaller, which looks whether it is cancelled.
    let picture = try SampleImages.bitmap(width: 500, height: 400)
    let scenes = try Model().scenes().mapValues { scene in
      BrowseScene(
        item: scene.item, area: scene.area, look: .picture(picture, version: 1), caption: scene.caption)
    }
    let (done, bytes) = try await Task { [painter] in
      var (next, bytes, asked) = (painter, [UInt8](), 0)
      let isDone = try next.paint(
        scenes,
        until: {
          asked += 1
          // Found by whoever encodes the next picture.
          if asked == 4 { withUnsafeCurrentTask { $0?.cancel() } }
          return false
        },
        write: { piece in
          bytes += piece
          return true
        })
      #expect(!isDone)
      return (next, bytes)
    }.value
    painter = done
    var screen = PictureScreen(columns: 26, rows: 16)
    screen.write(bytes)
    #expect(screen.pictures.count == 3)
    screen.write(painter.clear())
    #expect(screen.pictures.isEmpty && screen.faults.isEmpty, "\(screen.faults)")
  }

  @Test("the status is written when it is another")
  func status() {
    var painter = BrowsePainter(encoder: PictureEncoder(graphics: .blocks))
    var screen = PictureScreen(columns: 26, rows: 16)
    screen.write(painter.status(TerminalText(" 1–4 of 9"), row: 15, columns: 26))
    #expect(
      screen.text(15) == " 1–4 of 9" && screen.cells[15].allSatisfy { $0.isReversed } && screen.hasPlainPen)
    #expect(painter.status(TerminalText(" 1–4 of 9"), row: 15, columns: 26).isEmpty)
    #expect(screen.scrolled == 0)
  }
}
