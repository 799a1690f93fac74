import CalotypeTestKit
import Testing

@testable import CalotypeTerminal

@Suite("Browse: window, scrolling and keys")
struct BrowseModelTests {
  private func window(_ columns: Int, _ rows: Int) -> Output.Size {
    Output.Size(columns: columns, rows: rows)
  }

  @Test("cells fill the window, keep apart, and leave the last line to the status")
  func layout() {
    var faults: [[Int]] = []
    for columns in stride(from: 1, through: 130, by: 3) {
      for rows in 1...40 {
        let layout = BrowseLayout(window: window(columns, rows), columns: 24, rows: 9)
        #expect(layout.capacity >= 1)
        guard rows >= 3 else { continue }
        var taken: Set<[Int]> = []
        for place in 0..<layout.capacity {
          let area = layout.area(place)
          for row in area.row...(area.row + area.rows) {
            for column in area.column..<(area.column + area.columns) {
              let isInside = column >= 0 && column < columns && row >= 0 && row < rows - 1
              if !isInside || !taken.insert([column, row]).inserted {
                faults.append([columns, rows, place])
              }
            }
          }
        }
      }
    }
    #expect(faults.isEmpty)
    let layout = BrowseLayout(window: window(110, 34), columns: 24, rows: 9)
    #expect(layout.across == 4 && layout.down == 3)
    #expect(layout.area(0) == CellRectangle(column: 4, row: 0, columns: 24, rows: 9))
    #expect(layout.area(5) == CellRectangle(column: 30, row: 11, columns: 24, rows: 9))
  }

  @Test("scrolling stops at both ends, and knows what comes next")
  func scroll() {
    var scroll = BrowseScroll()
    #expect(scroll.visible.isEmpty && scroll.ahead(pages: 3).isEmpty)
    scroll.go(.down)
    scroll.fit(across: 4, down: 3)
    scroll.grow(to: 50)
    #expect(scroll.visible == 0..<12 && scroll.ahead(pages: 1) == Array(12..<24))
    scroll.go(.up)
    #expect(scroll.visible == 0..<12)
    scroll.go(.down)
    #expect(scroll.visible == 4..<16)
    scroll.go(.pageDown)
    #expect(scroll.visible == 16..<28 && scroll.ahead(pages: 2) == Array(28..<50))
    scroll.go(.end)
    // Thirteen rows; the last is not full.
    #expect(scroll.visible == 40..<50 && scroll.ahead(pages: 1).isEmpty)
    scroll.go(.up)
    #expect(scroll.visible == 36..<48 && scroll.ahead(pages: 1) == Array((24..<36).reversed()))
    // In another window, the first image stays the first.
    scroll.fit(across: 6, down: 2)
    #expect(scroll.visible == 36..<48)
    scroll.go(.home)
    #expect(scroll.visible == 0..<12 && scroll.ahead(pages: 1).isEmpty)
    scroll.grow(to: 5)
    scroll.fit(across: 4, down: 3)
    #expect(scroll.visible == 0..<5)
  }

  private func keys(_ text: String, inPieces: Bool = true) -> [Key] {
    var reader = KeyReader()
    guard inPieces else { return reader.read(text.utf8) }
    return text.utf8.flatMap { reader.read([$0]) }
  }

  @Test("keys are found however terminals send them, in pieces of any size", arguments: [true, false])
  func keys(inPieces: Bool) {
    let found: [(String, [Key])] = [
      ("kj b\u{6}gGq", [.up, .down, .pageDown, .pageUp, .pageDown, .home, .end, .quit]),
      ("\u{1B}[A\u{1B}OB\u{1B}[5~\u{1B}[6~", [.up, .down, .pageUp, .pageDown]),
      ("\u{1B}[H\u{1B}OF\u{1B}[1~\u{1B}[8~\u{1B}[7~\u{1B}[4~", [.home, .end, .home, .end, .home, .end]),
      ("\u{1B}[1;2A\u{1B}[1;5B", [.up, .down]),
      // Function keys, Alt, and answers that come late are no keys of ours.
      ("\u{1B}[15~\u{1B}[[A\u{1B}qj", [.down]),
      ("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}P1+r544e=71\u{1B}\\\u{1B}]11;rgb:q\u{7}\u{1B}[?62;4cj", [.down]),
      ("\u{1B}\u{1B}[Aäx", [.up]),
    ]
    for (text, expected) in found {
      #expect(keys(text, inPieces: inPieces) == expected, "\(text.debugDescription)")
    }
  }

  @Test("what never ends is given up, and keeps nothing")
  func endless() {
    var reader = KeyReader()
    #expect(reader.read([0x1B]).isEmpty && reader.isWithin)
    reader.giveUp()
    #expect(!reader.isWithin && reader.read([UInt8(ascii: "q")]) == [.quit])
    #expect(
      reader.read([0x1B, UInt8(ascii: "[")] + [UInt8](repeating: UInt8(ascii: "1"), count: 1000)).isEmpty)
    reader.giveUp()
    #expect(
      reader.read([0x1B, UInt8(ascii: "]")] + [UInt8](repeating: UInt8(ascii: "x"), count: 5000)).isEmpty)
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20_000 { _ = reader.read([UInt8.random(in: 0...255, using: &generator)]) }
    reader.giveUp()
    #expect(reader.read("j".utf8) == [.down])
  }

  @Test("pictographs are wide, marks are few, what changes widths is left out")
  func widths() {
    for (text, width) in [
      ("✅", 2), ("⚡a", 3), ("\u{2764}\u{FE0F}", 1), ("⭐", 2), ("é", 1), ("e\u{301}", 1), ("漢", 2),
    ] {
      #expect(TerminalText(text).width == width, "\(text)")
    }
    #expect(TerminalText("\u{1F1E9}\u{1F1EA}").text == "??" && TerminalText("\u{301}\u{301}a").text == "a")
    #expect(TerminalText("a" + String(repeating: "\u{301}", count: 30_000)).text.unicodeScalars.count == 3)
    let name = String(repeating: "✅", count: 20) + ".png"
    #expect(TerminalText.tail(of: name, cells: 22).width <= 22)
  }

  @Test("text is broken at spaces, long words anywhere")
  func lines() {
    func lines(_ text: String, _ cells: Int) -> [String] {
      TerminalText.lines(of: text, cells: cells).map(\.text)
    }
    #expect(lines("there is no file of that name", 10) == ["there is", "no file of", "that name"])
    #expect(lines("abcdefghijk lm", 4) == ["abcd", "efgh", "ijk", "lm"])
    #expect(lines("日本語", 4) == ["日本", "語"] && lines("", 4).isEmpty)
    #expect(lines("a\u{1B}[31m", 20) == ["a\\u{1B}[31m"])
    for cells in 1...12 {
      for line in TerminalText.lines(of: "the 日本語 quick\tbrown foxes", cells: cells) {
        #expect(line.width <= cells)
      }
    }
    #expect(lines("日本 ab", 1) == ["?", "?", "a", "b"])
    #expect(TerminalText.head(of: "1–12 of 500", cells: 6).text == "1–12 …")
    #expect(
      TerminalText.head(of: "日本語", cells: 5).text == "日本…"
        && TerminalText.head(of: "ab", cells: 2).text == "ab")
  }
}
