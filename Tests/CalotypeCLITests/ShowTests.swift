import Calotype
import CalotypeTestKit
import FoundationEssentials
import Glibc
import TerminalScreens
import Testing

/// `calotype show` on terminals of several kinds: what stands on them, and that they are as before in the end.
@Suite("Command: show", .timeLimit(.minutes(5)))
struct ShowTests {
  let folder: Tool.Folder

  init() throws { folder = try Tool.Folder() }

  private func file(_ name: String, _ data: Data) throws -> String {
    try data.write(to: URL(filePath: folder.file(name)))
    return folder.file(name)
  }

  private static func pixels(_ bitmap: Bitmap) -> [UInt32] {
    bitmap.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
      }
    }
  }

  /// Cursor, attributes, modes and settings are as they were.
  private func expectRestored(_ terminal: PictureTerminal, _ location: SourceLocation = #_sourceLocation) {
    #expect(terminal.screen.faults.isEmpty, "\(terminal.screen.faults)", sourceLocation: location)
    #expect(terminal.screen.isCursorVisible && !terminal.screen.isUpdating, sourceLocation: location)
    #expect(terminal.screen.cursor.column == 0, sourceLocation: location)
    #expect(terminal.pseudo.settings == [true, true, true], sourceLocation: location)
  }

  // MARK: Stills

  @Test("a still in half blocks has every pixel, its name and its size below")
  func blocks() throws {
    let path = try file("still.png", try SampleImages.still(width: 40, height: 30))
    let terminal = try PictureTerminal(.plain)
    let child = try terminal.show(["--no-cache", path])
    let run = try terminal.finish(child)
    #expect(run.status == 0, "\(run.errors)")
    let expected = Self.pixels(try SampleImages.bitmap(width: 40, height: 30))
    #expect(terminal.screen.blocks(columns: 40, rows: 15) == expected)
    #expect(terminal.screen.text(15).contains("still.png  40×30 · png"))
    #expect(terminal.screen.cursor.row == 16)
    expectRestored(terminal)
  }

  @Test("several stills stand one below the other, those that fail are told and do not stop the others")
  func several() throws {
    let one = try file("one.png", try SampleImages.still(width: 10, height: 4, color: .white))
    let two = try file("two.png", try SampleImages.still(width: 6, height: 2, color: .black))
    let terminal = try PictureTerminal(.plain, columns: 250)
    let child = try terminal.show(["--no-cache", one, folder.file("none.png"), two])
    #expect(try terminal.finish(child).status == 1)
    let screen = terminal.screen
    #expect(screen.blocks(columns: 10, rows: 2).allSatisfy { $0 == 0xFFFF_FFFF })
    #expect(screen.text(2).contains("one.png"))
    let error = screen.lines.joined()
    #expect(error.contains("calotype: ") && error.contains("none.png: no such file"))
    let last = try #require(screen.lines.firstIndex { $0.contains("two.png  6×2") })
    #expect(screen.blocks(row: last - 1, columns: 6, rows: 1).allSatisfy { $0 == 0xFF00_0000 })
    expectRestored(terminal)
  }

  @Test("the protocol is found out, or is what was asked for")
  func protocols() throws {
    let path = try file("still.png", try SampleImages.still(width: 55, height: 45))
    let expected = Self.pixels(try SampleImages.bitmap(width: 55, height: 45))
    let kitty = try PictureTerminal(.kitty)
    #expect(try kitty.finish(kitty.show(["--no-cache", path])).status == 0)
    // The picture stays, in a place filled up to whole cells.
    let (_, picture) = try #require(kitty.screen.pictures.first)
    #expect(kitty.screen.pictures.count == 1 && picture.width == 60 && picture.height == 60)
    let shown = (0..<45).flatMap { y in picture.pixels[(y * 60)..<(y * 60 + 55)] }
    #expect(shown == expected)
    #expect(kitty.screen.placements.first.map { [$0.value.column, $0.value.row] } == [0, 0])
    #expect(kitty.screen.text(3).contains("55×45"))
    expectRestored(kitty)

    for arguments in [[], ["--protocol", "sixel"]] {
      let sixel = try PictureTerminal(arguments.isEmpty ? .sixel : .plain)
      #expect(try sixel.finish(sixel.show(["--no-cache", path] + arguments)).status == 0)
      let string = try #require(sixel.screen.strings.first)
      let decoded = try SixelDecoder(string.text)
      #expect(decoded.width == 55 && decoded.height == 45 && decoded.pixels.allSatisfy { $0 != 0 })
      expectRestored(sixel)
    }

    let iterm2 = try PictureTerminal(.iterm2)
    #expect(try iterm2.finish(iterm2.show(["--no-cache", path])).status == 0)
    let text = String(decoding: try #require(iterm2.screen.strings.first).text, as: UTF8.self)
    let base64 = try #require(text.split(separator: ":").last)
    let data = try #require(Data(base64Encoded: String(base64)))
    #expect(try Self.pixels(CoderRegistry.standard.decode(data).bitmap) == expected)
    expectRestored(iterm2)

    let indexed = try PictureTerminal(.plain)
    let run = try indexed.finish(indexed.show(["--no-cache", path], environment: ["COLORTERM": ""]))
    #expect(run.status == 0)
    #expect(indexed.screen.blocks(columns: 53, rows: 22).allSatisfy { $0 >> 24 == 1 })
    expectRestored(indexed)
  }

  @Test("large pictures are shrunk to the window, small ones enlarged to the cells asked for")
  func sizes() throws {
    let path = try file("large.png", try SampleImages.still(width: 400, height: 300))
    let terminal = try PictureTerminal(.plain, columns: 60, rows: 20)
    #expect(try terminal.finish(terminal.show(["--no-cache", path])).status == 0)
    // 18 lines for the picture, one for its name, one for the cursor.
    #expect(terminal.screen.scrolled == 0 && terminal.screen.cursor.row == 19)
    #expect(terminal.screen.blocks(columns: 48, rows: 18).allSatisfy { $0 >> 24 == 255 })
    #expect(terminal.screen.blocks(column: 48, columns: 12, rows: 18).allSatisfy { $0 == 0 })
    let small = try file("small.png", try SampleImages.still(width: 4, height: 4, color: .white))
    let other = try PictureTerminal(.plain, columns: 60, rows: 20)
    #expect(try other.finish(other.show(["--no-cache", "--quiet", "--width", "12", small])).status == 0)
    #expect(other.screen.blocks(columns: 12, rows: 6).allSatisfy { $0 == 0xFFFF_FFFF })
    #expect(other.screen.lines.allSatisfy { $0.isEmpty } && other.screen.cursor.row == 6)
    expectRestored(other)
  }

  @Test("a terminal that does not answer is shown blocks")
  func silent() throws {
    let path = try file("still.png", try SampleImages.still(width: 8, height: 8, color: .white))
    let terminal = try PictureTerminal(.silent)
    #expect(try terminal.finish(terminal.show(["--no-cache", path])).status == 0)
    #expect(terminal.screen.blocks(columns: 8, rows: 4).allSatisfy { $0 == 0xFFFF_FFFF })
    expectRestored(terminal)
  }

  @Test("with --json, pictures are on standard error and lines on standard output")
  func json() throws {
    let path = try file(
      "film.gif", try SampleImages.animation(frames: 3, duration: .milliseconds(20), loopCount: 1))
    let output = open(folder.file("lines"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(output) }
    let terminal = try PictureTerminal(.kitty)
    let child = try terminal.show(["--no-cache", "--json", path, folder.file("none.png")], output: output)
    #expect(try terminal.finish(child).status == 1)
    let text = try String(contentsOfFile: folder.file("lines"), encoding: .utf8)
    let lines = try text.split(separator: "\n").map {
      try JSONDecoder().decode(Tool.Line.self, from: Data($0.utf8))
    }
    #expect(lines.count == 2)
    #expect(lines[0].protocol == "kitty" && lines[0].format == "gif" && lines[0].frames == 3)
    #expect(lines[0].width == 8 && lines[0].columns == 1 && lines[0].rows == 1 && lines[0].plays == 1)
    #expect(lines[1].error?.code == "fileNotFound")
    #expect(terminal.screen.lines.allSatisfy { $0.isEmpty })
    expectRestored(terminal)
  }

  // MARK: Progress

  @Test("what has arrived is drawn, with how far it is, and drawn over when there is more")
  func progressive() throws {
    let server = try ScriptedHTTPServer()
    let photo = try Photos.data("stream.jpg")
    let (begin, end) = (Gate(), Gate())
    begin.open()
    let half = photo.count * 2 / 3
    server.route("/a.jpg", .gated([(begin, photo.prefix(half)), (end, photo.dropFirst(half))]))
    let terminal = try PictureTerminal(.plain, columns: 100, rows: 30)
    let child = try terminal.show(["--no-cache", server.url("/a.jpg").absoluteString])
    let isDrawn = terminal.wait { screen in
      screen.blocks(columns: 20, rows: 3).allSatisfy { $0 != 0 }
        && screen.lines.contains { $0.contains("66 %") }
    }
    #expect(isDrawn, "\(terminal.screen.lines)")
    #expect(!terminal.screen.isCursorVisible && terminal.pseudo.settings[0] == false)
    let preview = terminal.screen.blocks(columns: 37, rows: 28)
    end.open()
    let run = try terminal.finish(child)
    #expect(run.status == 0)
    #expect(terminal.screen.lines.contains { $0.contains("· jpeg ·") && !$0.contains("%") })
    #expect(terminal.screen.blocks(columns: 37, rows: 28) != preview)
    #expect(terminal.screen.scrolled == 0)
    expectRestored(terminal)
  }

  @Test("^C and SIGTERM while it loads leave the terminal as it was", arguments: [SIGINT, SIGTERM])
  func interruptedLoad(signal: Int32) throws {
    let server = try ScriptedHTTPServer()
    server.route("/a.jpg", .hang)
    let terminal = try PictureTerminal(.plain)
    let child = try terminal.show(["--no-cache", server.url("/a.jpg").absoluteString])
    #expect(terminal.wait { $0.lines.contains { $0.contains("/a.jpg") } })
    child.send(signal)
    #expect(try terminal.finish(child).status == 128 + signal)
    #expect(terminal.screen.lines.filter { !$0.isEmpty }.allSatisfy { $0.hasSuffix(": cancelled") })
    expectRestored(terminal)
  }

  // MARK: Animations

  private func film(loopCount: Int = 0, frames: Int = 3) throws -> String {
    try file(
      "film.png",
      try SampleImages.animation(
        .apng, frames: frames, width: 20, height: 20, duration: .milliseconds(30), loopCount: loopCount))
  }

  @Test("an animation plays in place as often as asked for, and only its last frame is kept")
  func animation() throws {
    let terminal = try PictureTerminal(.kitty)
    let run = try terminal.finish(terminal.show(["--no-cache", "--loops", "2", try film()]))
    #expect(run.status == 0)
    let frames = try AnimatedImage(data: Data(contentsOf: URL(filePath: folder.file("film.png"))))
    #expect(terminal.screen.transmitted.count >= 3)
    #expect(terminal.screen.pictures.count == 1 && terminal.screen.placements.count == 1)
    let (id, picture) = try #require(terminal.screen.pictures.first)
    #expect(id == terminal.screen.transmitted.last)
    #expect(try picture.pixels == Self.pixels(frames.frame(at: 2).bitmap))
    #expect(terminal.screen.text(1).contains("20×20 · apng · 3 frames") && terminal.screen.cursor.row == 2)
    expectRestored(terminal)
    let still = try PictureTerminal(.kitty)
    #expect(try still.finish(still.show(["--no-cache", "--first-frame", try film()])).status == 0)
    #expect(try still.screen.pictures.first?.value.pixels == Self.pixels(frames.frame(at: 0).bitmap))
  }

  @Test("an endless animation before another image plays once")
  func endlessFirst() throws {
    let last = try file("last.png", try SampleImages.still(width: 8, height: 8, color: .white))
    let terminal = try PictureTerminal(.plain)
    #expect(try terminal.finish(terminal.show(["--no-cache", try film(), last])).status == 0)
    #expect(terminal.screen.text(10).contains("film.png") && terminal.screen.text(15).contains("last.png"))
    expectRestored(terminal)
  }

  @Test("^C and SIGTERM end an endless animation, which stays", arguments: [SIGINT, SIGTERM])
  func interruptedAnimation(signal: Int32) throws {
    let terminal = try PictureTerminal(.kitty)
    let child = try terminal.show(["--no-cache", try film()])
    #expect(terminal.wait { $0.transmitted.count >= 5 })
    #expect(!terminal.screen.isCursorVisible && terminal.pseudo.settings == [false, true, true])
    child.send(signal)
    #expect(try terminal.finish(child).status == 128 + signal)
    #expect(terminal.screen.pictures.count == 1 && terminal.screen.text(1).contains("film.png"))
    #expect(!terminal.screen.lines.contains { $0.contains("cancelled") })
    expectRestored(terminal)
  }

  @Test(
    "signals that end at once, and crashes, leave the terminal in order",
    arguments: [SIGHUP, SIGQUIT, SIGSEGV])
  func deadly(signal: Int32) throws {
    let terminal = try PictureTerminal(.plain)
    let child = try terminal.show(["--no-cache", try film()])
    #expect(terminal.wait { $0.blocks(columns: 20, rows: 10).allSatisfy { $0 != 0 } })
    child.send(signal)
    #expect(try terminal.finish(child).status == 1000 + signal)
    #expect(terminal.screen.isCursorVisible && terminal.pseudo.settings == [true, true, true])
  }

  @Test(
    "a command that is stopped gives the terminal back, and takes it again when it goes on",
    .disabled(if: Tool.delaysSignals))
  func stopped() throws {
    let terminal = try PictureTerminal(.plain)
    let child = try terminal.show(["--no-cache", try film()])
    #expect(terminal.wait { $0.blocks(columns: 20, rows: 10).allSatisfy { $0 != 0 } })
    child.send(SIGTSTP)
    #expect(terminal.wait { $0.isCursorVisible })
    try child.waitUntilStopped()
    #expect(terminal.pseudo.settings == [true, true, true])
    child.send(SIGCONT)
    #expect(terminal.wait { !$0.isCursorVisible })
    // Others may have written meanwhile: it is drawn again below.
    #expect(terminal.wait { screen in screen.lines.count { $0.contains("film.png") } == 2 })
    #expect(terminal.screen.text(10).contains("film.png") && terminal.screen.text(21).contains("film.png"))
    child.send(SIGINT)
    #expect(try terminal.finish(child).status == 130)
    expectRestored(terminal)
  }

  @Test("a stop of the terminal is ignored where nobody could have the command go on")
  func orphaned() throws {
    let terminal = try PictureTerminal(.plain)
    // It leads the session of the terminal, as a command of ssh -t does.
    let child = try Tool.start(
      program: "/usr/bin/setsid", ["-w", "-c", Tool.path, "show", "--no-cache", try film()],
      environment: ["TERM": "xterm-256color", "TMUX": "", "STY": "", "SWIFT_BACKTRACE": "enable=no"],
      input: terminal.pseudo.end, output: terminal.pseudo.end, errors: terminal.pseudo.end)
    terminal.pseudo.letGo()
    #expect(terminal.wait { $0.blocks(columns: 20, rows: 10).allSatisfy { $0 != 0 } })
    let shows = terminal.screen.cursorShows
    terminal.pseudo.type("\u{1A}")
    #expect(terminal.wait { $0.cursorShows > shows && !$0.isCursorVisible })
    #expect(terminal.pseudo.settings[0] == false)
    terminal.pseudo.type("\u{3}")
    #expect(try terminal.finish(child).status == 130)
    expectRestored(terminal)
  }

  @Test("a terminal that does not read any more does not keep the command from ending")
  func stuck() throws {
    let large = try file(
      "large.png",
      try SampleImages.animation(
        .apng, frames: 3, width: 300, height: 300, duration: .milliseconds(20), loopCount: 0))
    let pseudo = try PseudoTerminal(columns: 80, rows: 24)
    let child = try Tool.start(
      ["show", "--no-cache", "--protocol", "kitty", large],
      environment: ["TERM": "xterm-256color", "TMUX": "", "STY": "", "SWIFT_BACKTRACE": "enable=no"],
      input: pseudo.end, output: pseudo.end, errors: pseudo.end)
    // Nobody reads: what it has drawn stands in line before it.
    while try !child.isWriting() { sched_yield() }
    // Two that come at once are one.
    #expect(try child.end(by: SIGTERM).status == 143)
    #expect(pseudo.settings == [true, true, true])
  }

  /// A server of an animation in two parts, the second behind a gate.
  private func arriving() throws -> (server: ScriptedHTTPServer, film: Data, rest: Gate) {
    let server = try ScriptedHTTPServer()
    let film = try SampleImages.animation(
      .gif, frames: 8, width: 60, height: 60, duration: .milliseconds(20), loopCount: 0)
    let (begin, rest) = (Gate(), Gate())
    begin.open()
    let part = film.count * 3 / 4
    server.route("/film.gif", .gated([(begin, film.prefix(part)), (rest, film.dropFirst(part))]))
    return (server, film, rest)
  }

  @Test("with --first-frame, nothing plays while it arrives either")
  func arrivingFirstFrame() throws {
    let (server, film, rest) = try arriving()
    let terminal = try PictureTerminal(.kitty)
    let child = try terminal.show(["--no-cache", "--first-frame", server.url("/film.gif").absoluteString])
    #expect(terminal.wait { !$0.pictures.isEmpty && $0.text(3).contains("%") })
    rest.open()
    #expect(try terminal.finish(child).status == 0)
    let first = try Self.pixels(AnimatedImage(data: film).frame(at: 0).bitmap)
    #expect(terminal.screen.pictures.values.first?.pixels == first)
    #expect(terminal.screen.transmitted.count <= 3)
    expectRestored(terminal)
  }

  @Test("an animation plays while it arrives, and stands still where it has not")
  func arrivingAnimation() throws {
    let (server, data, end) = try arriving()
    let terminal = try PictureTerminal(.kitty)
    let child = try terminal.show(["--no-cache", "--loops", "1", server.url("/film.gif").absoluteString])
    let frames = try AnimatedImage(data: data)
    let expected = try (0..<8).map { try Self.pixels(frames.frame(at: $0).bitmap) }
    func shown(_ screen: PictureScreen) -> Int? {
      screen.pictures.values.first.flatMap { picture in expected.firstIndex { $0 == picture.pixels } }
    }
    // Frames in the middle are shown before there is an end.
    #expect(terminal.wait { (3...6).contains(shown($0) ?? 0) && $0.text(3).contains("%") })
    #expect(!terminal.screen.text(3).contains("8 frames"))
    end.open()
    let run = try terminal.finish(child)
    #expect(run.status == 0 && shown(terminal.screen) == 7)
    #expect(terminal.screen.text(3).contains("60×60 · gif · 8 frames"))
    #expect(server.requests.count == 1)
    expectRestored(terminal)
  }

  @Test("where pictures cannot be shown, that is told, and what to do")
  func noTerminal() throws {
    let run = try Tool.run("show", Photos.path("dogs.webp"))
    #expect(run.status == 2 && run.output.isEmpty)
    #expect(run.errors.contains("not a terminal") && run.errors.contains("calotype get"))
    let dumb = try PictureTerminal(.plain)
    let child = try dumb.show([Photos.path("dogs.webp")], environment: ["TERM": "dumb"])
    #expect(try dumb.finish(child).status == 2)
    #expect(dumb.screen.lines.joined().contains("TERM"))
  }
}
