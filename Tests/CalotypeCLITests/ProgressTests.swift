import CalotypeTestKit
import FoundationEssentials
import Glibc
import TerminalScreens
import Testing

/// What stands on a terminal meanwhile, and that nothing of it stays.
@Suite("Command: progress")
struct ProgressTests {
  let folder: Tool.Folder
  let server: ScriptedHTTPServer
  let photo: Data

  init() throws {
    folder = try Tool.Folder()
    server = try ScriptedHTTPServer()
    photo = try Photos.data("stream.jpg")
  }

  /// Routes that deliver half of the photo and then wait.
  private func route(_ paths: [String], _ gate: Gate) {
    let begin = Gate()
    begin.open()
    let half = photo.count / 2
    for path in paths {
      server.route(path, .gated([(begin, photo.prefix(half)), (gate, photo.dropFirst(half))]))
    }
  }

  private func start(
    _ paths: [String], on terminal: Terminal, type: String = "xterm", _ arguments: [String] = []
  ) throws -> Tool.Child {
    defer { terminal.letGo() }
    return try Tool.start(
      ["get", "--no-cache", "-o", folder.file("out/"), "--concurrency", "12"]
        + paths.map { server.url($0).absoluteString } + arguments,
      environment: ["TERM": type], errors: terminal.end)
  }

  @Test(
    "a line for each image under way, one for all, and nothing in the end",
    arguments: [[], ["--thumbnail", "9x"]])
  func lines(pixels: [String]) throws {
    let gate = Gate()
    route(["/one.jpg", "/two.jpg"], gate)
    server.route("/none.jpg", .status(404))
    let terminal = try Terminal(columns: 100, rows: 24)
    let child = try start(["/one.jpg", "/two.jpg", "/none.jpg"], on: terminal, ["--json"] + pixels)
    let isShown = terminal.wait { terminal in
      terminal.text.count { $0.contains(".jpg") && $0.contains("██████░░░░░░  50 %") } == 2
        && terminal.text.last?.contains("1/3") == true
    }
    #expect(isShown, "\(terminal.text)")
    gate.open()
    terminal.drain()
    let run = try child.wait()
    #expect(run.status == 1)
    #expect(try run.jsonLines().count == 3)
    #expect(terminal.text.isEmpty, "\(terminal.text)")
    #expect(terminal.isCursorVisible && !terminal.hasBrokenLines)
  }

  @Test(
    "no more lines than fit, none broken in a narrow window",
    arguments: [(100, 6), (55, 6), (30, 24), (12, 3)])
  func small(columns: Int, rows: Int) throws {
    let gate = Gate()
    let paths = (0..<12).map { "/a-rather-long-name-\($0).jpg" }
    route(paths, gate)
    let terminal = try Terminal(columns: columns, rows: rows)
    let child = try start(paths, on: terminal)
    let shown = columns < 24 ? 0 : min(8, rows - 2)
    let isShown = terminal.wait { $0.text.count == shown + 1 && $0.text.last?.contains("0/12") == true }
    #expect(isShown, "\(terminal.text)")
    gate.open()
    terminal.drain()
    #expect(try child.wait().status == 0)
    #expect(terminal.text.isEmpty && terminal.isCursorVisible && !terminal.hasBrokenLines)
  }

  @Test("a window that changes its size gets lines that fit")
  func resize() throws {
    let gate = Gate()
    route(["/one.jpg", "/two.jpg"], gate)
    let terminal = try Terminal(columns: 100, rows: 24)
    let child = try start(["/one.jpg", "/two.jpg"], on: terminal)
    #expect(terminal.wait { $0.text.count == 3 })
    terminal.resize(columns: 40, rows: 24)
    let fits = terminal.wait { $0.text.count >= 3 && $0.text.suffix(3).allSatisfy { $0.count < 40 } }
    #expect(fits, "\(terminal.text)")
    gate.open()
    terminal.drain()
    #expect(try child.wait().status == 0)
  }

  @Test("^C takes the lines away and leaves the cursor as it was", arguments: [SIGINT, SIGTERM])
  func interrupt(signal: Int32) throws {
    let gate = Gate()
    route(["/one.jpg", "/two.jpg"], gate)
    let terminal = try Terminal(columns: 100, rows: 24)
    let child = try start(["/one.jpg", "/two.jpg"], on: terminal)
    #expect(terminal.wait { $0.text.count == 3 })
    child.send(signal)
    terminal.drain()
    #expect(try child.wait().status == 128 + signal)
    #expect(terminal.text.count == 2 && terminal.text.allSatisfy { $0.hasSuffix(": cancelled") })
    #expect(terminal.isCursorVisible)
    gate.open()
  }

  @Test(
    "no control codes where they are not understood, nothing at all with --quiet", arguments: ["dumb", ""])
  func dumb(type: String) throws {
    let gate = Gate()
    gate.open()
    route(["/one.jpg"], gate)
    let terminal = try Terminal(columns: 100, rows: 24)
    let child = try start(["/one.jpg"], on: terminal, type: type)
    terminal.drain()
    #expect(try child.wait().status == 0)
    #expect(terminal.bytes.isEmpty)
    let quiet = try Terminal(columns: 100, rows: 24)
    let other = try start(["/one.jpg"], on: quiet, ["--quiet"])
    quiet.drain()
    #expect(try other.wait().status == 0)
    #expect(quiet.bytes.isEmpty)
  }

  @Test("names cannot write on the terminal what they like")
  func hostileNames() throws {
    let gate = Gate()
    route(["/a.jpg"], gate)
    let terminal = try Terminal(columns: 100, rows: 24)
    let url = server.url("/a.jpg").absoluteString + "#\u{1B}]0;x\u{7}"
    let child = try Tool.start(
      ["get", "--no-cache", "-o", folder.file("out/"), url],
      environment: ["TERM": "xterm"], errors: terminal.end)
    terminal.letGo()
    let isShown = terminal.wait { $0.text.first?.contains("#\\u{1B}]0;x\\u{7}") == true }
    #expect(isShown, "\(terminal.text)")
    gate.open()
    child.send(SIGINT)
    _ = try child.wait()
  }
}
