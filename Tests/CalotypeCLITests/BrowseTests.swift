import Calotype
import CalotypeTestKit
import FoundationEssentials
import Glibc
import TerminalScreens
import Testing

/// `calotype browse` on real terminals, before a slow server of 500 images.
@Suite("Command: browse", .timeLimit(.minutes(10)))
struct BrowseTests {
  private static let count = 500
  private static let width = 24
  private static let height = 9

  /// A server of images that each have a colour of their own. Some never come to an end, some are not there.
  private final class Gallery {
    let server: ScriptedHTTPServer
    let folder: Tool.Folder

    /// Never comes to an end.
    static func hangs(_ item: Int) -> Bool { item % 7 == 3 && !isMissing(item) }
    static func isMissing(_ item: Int) -> Bool { item % 50 == 49 }
    static func path(_ item: Int) -> String { "/image-\(item).png" }
    static func color(_ item: Int) -> PixelColor {
      PixelColor(red: UInt8(40 + 8 * (item % 25)), green: UInt8(40 + 8 * (item / 25)), blue: 90)
    }

    init() throws {
      server = try ScriptedHTTPServer()
      folder = try Tool.Folder()
      for item in 0..<count where !Gallery.isMissing(item) {
        server.route(Gallery.path(item)) { _ in Gallery.reply(item) }
      }
      let list = (0..<count).map { server.url(Gallery.path($0)).absoluteString }
      try Data((["# a gallery", ""] + list).joined(separator: "\n").utf8).write(
        to: URL(filePath: folder.file("list")))
    }

    deinit { server.stop() }

    private static func reply(_ item: Int) -> ScriptedReply {
      guard
        let data = try? SampleImages.still(
          width: 96, height: item.isMultiple(of: 2) ? 72 : 40, color: color(item))
      else { return .status(500) }
      let half = data.count / 2
      return ScriptedReply([
        .head(200, [("Content-Length", "\(data.count)"), ("Cache-Control", "max-age=600")]),
        .drip(Data(data.prefix(half)), .milliseconds(20)),
        hangs(item) ? .hang : .drip(Data(data.dropFirst(half)), .milliseconds(20)),
      ])
    }
  }

  /// The cells of a window of 24×9 cells a picture, by their captions: the item, and what is in its picture.
  private struct Window {
    struct Place {
      let item: Int
      /// Colours of the picture, without those of the terminal.
      var colors: Set<String> = []
      /// Text in it.
      var text = ""
    }

    var places: [Place] = []
    let status: String

    init(_ cells: [[Tmux.Cell]]) {
      status = cells.last.map(Tmux.text) ?? ""
      for (row, line) in cells.dropLast().enumerated() where row >= height {
        for column in line.indices {
          guard line[column].character.isNumber, column == 0 || line[column - 1].character == " " else {
            continue
          }
          // `12 image-11.png`
          let words = Tmux.text(Array(line[column..<min(line.count, column + width)])).split(separator: " ")
          // Once it is there to its end.
          guard words.count >= 2, let number = Int(words[0]), words[1].hasPrefix("image-"),
            words[1].hasSuffix(".png")
          else { continue }
          var place = Place(item: number - 1)
          if words[1] != "image-\(number - 1).png" { place.text = "caption: \(words)" }
          for line in cells[(row - height)..<row] {
            for cell in line.dropFirst(column).prefix(width) {
              place.colors.formUnion([cell.background].compactMap { $0 })
              if cell.character == "▀" || cell.character == "▄" {
                place.colors.formUnion([cell.foreground].compactMap { $0 })
              } else if cell.character != " " {
                place.text.append(cell.character)
              }
            }
          }
          places.append(place)
        }
      }
    }

    private static let shade = "5;236"

    private static func color(_ item: Int) -> String {
      let color = Gallery.color(item)
      return "2;\(color.red);\(color.green);\(color.blue)"
    }

    /// Whether a colour can be of this item: its own, or at the edge of what has arrived of it, a darker or lighter one.
    private static func isOwn(_ text: String, _ item: Int) -> Bool {
      if text == shade || text == color(item) { return true }
      let samples = text.split(separator: ";").compactMap { Double($0) }
      let own = Gallery.color(item)
      guard samples.count == 4, samples[3] != Double(own.blue) else { return false }
      let part = samples[3] / Double(own.blue)
      return abs(samples[1] - Double(own.red) * part) < 5 && abs(samples[2] - Double(own.green) * part) < 5
    }

    /// Whether nothing is shown that belongs to another image.
    func check() {
      for place in places {
        let others = place.colors.filter { !Self.isOwn($0, place.item) }
        #expect(others.isEmpty, "\(others) of \(place) of \(places.map(\.item))")
        // A failure says why.
        #expect(
          place.text.isEmpty || Gallery.isMissing(place.item) || Gallery.hangs(place.item), "\(place)")
      }
    }

    /// Whether everything that can be there is, and nothing else, from this item on.
    func isSettled(from first: Int? = nil) -> Bool {
      guard let begin = places.first?.item, first == nil || begin == first else { return false }
      return places.allSatisfy { place in
        if Gallery.isMissing(place.item) { return place.text.contains("404") }
        // Half of it may be there.
        return Gallery.hangs(place.item) || place.colors == [Self.color(place.item)]
      }
    }

    /// Bytes of pictures that are kept, as the status says.
    func kept() throws -> Double {
      let words = status.split(separator: " ").map(String.init)
      let place = try #require(words.lastIndex(of: "kept"), "\(status)")
      // `59.8 KB of 60.0 KB kept`
      let (number, unit) = (words[place - 5], words[place - 4])
      return try #require(Double(number)) * (unit == "B" ? 1 : unit == "KB" ? 1000 : 1_000_000)
    }
  }

  private func command(_ gallery: Gallery, _ arguments: String = "") -> String {
    "COLORTERM=truecolor \(Tool.path) browse \(gallery.folder.file("list")) --protocol blocks --no-cache "
      + "--width \(Self.width) --height \(Self.height) \(arguments)"
  }

  private func memory(ofChildOf shell: String) throws -> Int {
    let children = try String(contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
    let child = try #require(children.split(separator: " ").first)
    let status = try String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(separator: " ").compactMap { Int($0) }.first) * 1024
  }

  @Test(
    "500 images of a slow server: each cell shows what belongs there, what leaves is given up, memory is bounded"
  )
  func scrolls() async throws {
    let gallery = try Gallery()
    let tmux = try Tmux(columns: 110, rows: 34)
    try tmux.line(command(gallery, "--memory 60K --concurrency 12"))
    // Four pictures side by side, three lines of them.
    // The list is read meanwhile.
    var window = try Window(
      tmux.wait(for: "first images") {
        let window = Window($0)
        return window.isSettled(from: 0) && window.status.contains("1–12 of 500")
      })
    #expect(window.places.map(\.item) == Array(0..<12))
    func look() throws {
      window = Window(try tmux.cells())
      window.check()
      #expect(try window.kept() <= 60_000, "\(window.status)")
    }
    // Down to the end, sometimes without waiting, sometimes back.
    for step in 0..<41 {
      try tmux.press(step.isMultiple(of: 2) ? "Space" : "NPage")
      try look()
      if step % 5 == 2 {
        try tmux.press("Up", "j", "Down")
        try look()
        try tmux.press("k")
      }
      if step % 4 == 1 {
        let first = 12 * (step + 1)
        window = try Window(tmux.wait(for: "images from \(first)") { Window($0).isSettled(from: first) })
        window.check()
      }
    }
    window = try Window(tmux.wait(for: "last images") { Window($0).isSettled(from: 488) })
    #expect(window.places.map(\.item) == Array(488..<500) && window.status.contains("489–500 of 500"))
    try look()
    try tmux.press("g")
    window = try Window(tmux.wait(for: "first images again") { Window($0).isSettled(from: 0) })
    window.check()

    // What was on its way when it left the window was given up; what never ends tells. Prefetched is what comes next.
    var kept: [String] = []
    var given = 0
    _ = try? tmux.wait(for: "end of what left the window", limit: .seconds(10)) { _ in
      let requests = Dictionary(gallery.server.requests.map { ($0.path, 1) }, uniquingKeysWith: +)
      let hanging = (24..<Self.count).filter(Gallery.hangs).map(Gallery.path).filter { requests[$0] != nil }
      given = hanging.count
      kept = hanging.filter { gallery.server.disconnects($0) < requests[$0, default: 0] }
        .map { "\($0): \(requests[$0, default: 0]) requests, \(gallery.server.disconnects($0)) left" }
      return kept.isEmpty
    }
    #expect(given > 30 && kept.isEmpty, "\(kept)")
    #expect(try memory(ofChildOf: tmux.value("#{pane_pid}")) < 150 << 20)

    try tmux.press("q")
    try tmux.waitForPrompt()
    try await gallery.server.waitForNoConnections()
    try expectRestored(tmux, status: 0)
  }

  /// The shell is back, on the screen that it had, with the modes that it had.
  private func expectRestored(
    _ tmux: Tmux, status: Int, _ location: SourceLocation = #_sourceLocation
  ) throws {
    try tmux.line(
      "echo status $?; stty -a | tr ' ;' '\\n' | grep -x -e '-*echo' -e '-*icanon' -e '-*isig' | xargs")
    let cells = try tmux.wait(for: "settings") {
      // Those of an earlier command may still be there.
      $0.contains { Tmux.text($0).contains("icanon") && !Tmux.text($0).contains("stty") }
        && $0.contains { Tmux.text($0).hasSuffix("status \(status)") }
    }
    let lines = cells.map(Tmux.text)
    #expect(lines.contains { $0.hasSuffix("status \(status)") }, "\(lines)", sourceLocation: location)
    #expect(
      lines.contains { $0.split(separator: " ").sorted() == ["echo", "icanon", "isig"] }, "\(lines)",
      sourceLocation: location)
    let modes = try tmux.modes
    #expect(!modes.isAlternate && modes.hasCursor, sourceLocation: location)
    #expect(!lines.contains { $0.contains("q quits") }, "\(lines)", sourceLocation: location)
  }

  @Test(
    "the window may change, the command be stopped and go on, and be interrupted",
    .disabled(if: Tool.delaysSignals))
  func modes() async throws {
    let gallery = try Gallery()
    let tmux = try Tmux(columns: 110, rows: 34)
    try tmux.line(command(gallery))
    try tmux.wait(for: "first images") { Window($0).isSettled(from: 0) }
    try tmux.press("Space")
    try tmux.wait(for: "second page") { Window($0).isSettled(from: 12) }
    try tmux.resize(columns: 60, rows: 23)
    var window = try Window(tmux.wait(for: "narrow window") { Window($0).isSettled(from: 12) })
    #expect(window.places.map(\.item) == [12, 13, 14, 15])
    try tmux.resize(columns: 136, rows: 45)
    window = try Window(
      tmux.wait(for: "wide window") { cells in
        let window = Window(cells)
        return window.isSettled(from: 10) && window.places.count == 20
      })
    #expect(window.places.map(\.item) == Array(10..<30))

    let shell = try tmux.value("#{pane_pid}")
    try tmux.press("C-z")
    try tmux.waitForPrompt()
    try expectRestored(tmux, status: 128 + Int(SIGTSTP))
    try tmux.line("bg; sleep 0.1")
    try tmux.line("echo d''one")
    // It draws nothing over what belongs to the shell.
    let shown = try tmux.wait(for: "echo") { $0.contains { Tmux.text($0).hasSuffix(" done") } }
    #expect(try !tmux.modes.isAlternate && !shown.contains { Tmux.text($0).contains("q quits") })
    try tmux.line("fg")
    window = try Window(tmux.wait(for: "window as before") { Window($0).isSettled(from: 10) })
    #expect(try tmux.modes.isAlternate && !tmux.modes.hasCursor)
    try tmux.press("C-l")
    try tmux.wait(for: "window drawn again") { Window($0).isSettled(from: 10) }
    #expect(try memory(ofChildOf: shell) < 200 << 20)
    try tmux.press("C-c")
    try tmux.waitForPrompt()
    try expectRestored(tmux, status: 130)
  }

  @Test("a list may come from another program, while that writes it, with lines that are no images")
  func pipe() throws {
    let folder = try Tool.Folder()
    try SampleImages.still(width: 48, height: 36, color: Gallery.color(0)).write(
      to: URL(filePath: folder.file("image-0.png")))
    #expect(mkfifo(folder.file("go"), 0o600) == 0)
    let tmux = try Tmux(columns: 110, rows: 34)
    try tmux.line(
      "(echo \(folder.file("image-0.png")); echo 'ht tp://x'; echo \(folder.file("none.png")); read line < \(folder.file("go")); "
        + "echo \(folder.file("image-0.png"))) | COLORTERM=truecolor \(Tool.path) browse - --protocol blocks --no-cache --height 9"
    )
    let cells = try tmux.wait(for: "first lines") { cells in
      Window(cells).status.contains("1–3 of 3…") && Window(cells).status.contains("2 failed")
    }
    #expect(cells.contains { Tmux.text($0).contains("not a URL") })
    #expect(cells.contains { Tmux.text($0).contains("there is no file") })
    #expect(cells[0].contains { $0.background == "2;40;40;90" })
    try Data("\n".utf8).write(to: URL(filePath: folder.file("go")))
    try tmux.wait(for: "last line") { Window($0).status.contains("1–4 of 4 ") }
    try tmux.press("q")
    try tmux.waitForPrompt()
    try expectRestored(tmux, status: 0)
  }

  @Test("a terminal that keeps pictures is left without any")
  func kitty() throws {
    let gallery = try Gallery()
    let terminal = try PictureTerminal(.kitty, columns: 110, rows: 34)
    let child = try terminal.start([
      "browse", gallery.folder.file("list"), "--no-cache", "--no-previews", "--height", "9",
    ])
    // All but those that never come.
    #expect(terminal.wait { $0.placements.count == 10 && $0.stashed != nil })
    terminal.pseudo.type(" ")
    #expect(terminal.wait { $0.lines.last?.contains("13–24 of 500") == true && $0.placements.count == 11 })
    terminal.pseudo.type("k")
    #expect(terminal.wait { $0.lines.last?.contains("9–20 of 500") == true && $0.placements.count == 10 })
    #expect(terminal.screen.pictures.count <= 12)
    terminal.pseudo.type("q")
    let run = try terminal.finish(child)
    #expect(run.status == 0)
    #expect(terminal.screen.pictures.isEmpty && terminal.screen.stashed == nil, "\(terminal.screen.faults)")
    #expect(terminal.screen.faults.isEmpty, "\(terminal.screen.faults)")
    #expect(terminal.screen.isCursorVisible && terminal.pseudo.settings == [true, true, true])
  }

  @Test("signals that end at once give the screen back", arguments: [SIGTERM, SIGHUP, SIGSEGV, SIGUSR1])
  func deadly(signal: Int32) throws {
    let gallery = try Gallery()
    let terminal = try PictureTerminal(.plain, columns: 110, rows: 34)
    let child = try terminal.start(["browse", gallery.folder.file("list"), "--no-cache"])
    #expect(terminal.wait { $0.stashed != nil && $0.lines.last?.contains("of 500") == true })
    child.send(signal)
    let run = try terminal.finish(child)
    #expect(run.status == (signal == SIGTERM ? 143 : 1000 + signal))
    #expect(terminal.screen.stashed == nil && terminal.screen.isCursorVisible)
    #expect(terminal.pseudo.settings == [true, true, true])
  }

  @Test("a list that cannot be read, or has nothing in it, is told; so is a terminal that is none")
  func refusals() throws {
    let folder = try Tool.Folder()
    let none = try Tool.run("browse", folder.file("none"))
    #expect(none.status == 2 && none.errors.contains("not a terminal"))
    let terminal = try PictureTerminal(.plain, columns: 250)
    #expect(try terminal.finish(terminal.start(["browse", folder.file("none")])).status == 1)
    #expect(terminal.screen.lines.joined().contains("cannot read the list"))
    let directory = try PictureTerminal(.plain, columns: 250)
    #expect(try directory.finish(directory.start(["browse", folder.path, "--no-cache"])).status == 1)
    #expect(
      directory.screen.lines.joined().contains("cannot read the list") && directory.screen.stashed == nil)
    let typed = try PictureTerminal(.plain, columns: 250)
    #expect(try typed.finish(typed.start(["browse", "-"])).status == 2)
    #expect(typed.screen.lines.joined().contains("a file or a pipe"))
    try Data("# nothing\n\n".utf8).write(to: URL(filePath: folder.file("empty")))
    let empty = try PictureTerminal(.plain, columns: 250)
    #expect(try empty.finish(empty.start(["browse", folder.file("empty"), "--no-cache"])).status == 0)
    #expect(empty.screen.lines.joined().contains("names no images") && empty.screen.stashed == nil)
  }
}
