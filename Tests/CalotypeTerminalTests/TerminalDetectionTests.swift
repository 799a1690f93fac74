import Calotype
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import TerminalScreens
import Testing

@testable import CalotypeTerminal

/// What a terminal can do, by what it answers.
@Suite("Terminal graphics: answers", .timeLimit(.minutes(5)))
struct TerminalAnswersTests {
  private static let everything =
    "\u{1B}P>|kitty(0.35.2)\u{1B}\\\u{1B}]11;rgb:1e1e/2020/ffff\u{1B}\\\u{1B}[6;21;9t\u{1B}[4;882;1440t"
    + "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}P1+r544e=787465726d2d6b69747479\u{1B}\\\u{1B}[?62;4;22c"

  private func read(_ text: String, by size: Int = 1) -> TerminalResponses {
    var answers = TerminalResponses()
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      answers.read(bytes[start..<min(bytes.count, start + size)])
    }
    answers.finish()
    return answers
  }

  @Test("answers are understood in pieces of any size", arguments: [1, 2, 3, 7, 1000])
  func pieces(size: Int) {
    let answers = read(Self.everything, by: size)
    #expect(answers.version == "kitty(0.35.2)" && answers.terminfoName == "xterm-kitty")
    #expect(answers.background == PixelColor(red: 0x1E, green: 0x20, blue: 0xFF))
    #expect(answers.cell == PixelSize(width: 9, height: 21))
    #expect(answers.window == PixelSize(width: 1440, height: 882))
    #expect(answers.kittyGraphics == true && answers.attributes == [62, 4, 22])
    #expect(answers.keys.isEmpty)
  }

  @Test("keys between answers are kept, and so is what only begins like an answer")
  func keys() {
    let arrow = "\u{1B}[A"
    let text = "ls\r" + arrow + Self.everything + "\u{1B}OP" + "\u{1B}x" + "é"
    #expect(read(text).keys == Array(("ls\r" + arrow + "\u{1B}OP\u{1B}xé").utf8))
    for text in [
      "\u{1B}", "\u{1B}[", "\u{1B}[6;2", "\u{1B}_Gi=31;O", "\u{1B}]11;rgb:", "\u{1B}P", "\u{1B}P>|x\u{1B}",
    ] {
      #expect(read(text).keys == Array(text.utf8))
      #expect(read(text + "\u{1B}[?6c").attributes == [6], "\(text.debugDescription)")
    }
  }

  @Test(
    "nonsense is no answer",
    arguments: [
      "\u{1B}_Gi=31;EINVAL:no\u{1B}\\", "\u{1B}[6;0;0t", "\u{1B}]11;rgb:zz/00/00\u{7}",
      "\u{1B}]11;rgb:00/00\u{7}",
      "\u{1B}P1+r544e=7\u{1B}\\", "\u{1B}P0+r\u{1B}\\", "\u{1B}[6;99999999999999999999;1t",
    ])
  func nonsense(text: String) {
    let answers = read(text)
    #expect(answers.kittyGraphics != true && answers.cell == nil && answers.background == nil)
    #expect(answers.terminfoName == nil && answers.version == nil && answers.attributes == nil)
  }

  @Test("garbage of any kind ends, and nothing of it is lost among the keys")
  func garbage() {
    var generator = SeededGenerator(seed: 7)
    let alphabet = Array("\u{1B}\u{1B}[]P_G?\\;c0t1\u{7}x".utf8)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      var answers = TerminalResponses()
      answers.read(bytes)
      answers.finish()
      #expect(answers.keys.count <= bytes.count)
      if answers
        == {
          var empty = TerminalResponses(); empty.read(answers.keys); empty.finish(); return empty
        }()
      {
        continue
      }
      // Something was understood; what was not is still there in its order.
      var rest = bytes[...]
      for key in answers.keys {
        guard let place = rest.firstIndex(of: key) else {
          Issue.record("\(bytes) became \(answers.keys)")
          break
        }
        rest = rest[(place + 1)...]
      }
    }
    var long = TerminalResponses()
    long.read([0x1B, UInt8(ascii: "_")] + [UInt8](repeating: UInt8(ascii: "G"), count: 10_000))
    #expect(long.keys.count == 10_002)
  }

  @Test(
    "the best that works is chosen",
    arguments: [
      (["TERM": "xterm-kitty"], "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62c", GraphicsProtocol.kitty),
      (["TERM": "xterm"], "\u{1B}_Gi=31;ENOENT\u{1B}\\\u{1B}[?62;4c", .sixel),
      (["TERM": "xterm"], "\u{1B}P>|iTerm2 3.5\u{1B}\\\u{1B}[?62;4c", .iterm2),
      (["TERM": "xterm"], "\u{1B}P>|WezTerm 20240203\u{1B}\\\u{1B}[?65;4c", .iterm2),
      (["TERM": "xterm", "LC_TERMINAL": "iTerm2"], "", .iterm2),
      (["TERM": "xterm", "TERM_PROGRAM": "WezTerm"], "", .iterm2),
      (["TERM": "xterm", "TERM_PROGRAM": "WezTerm"], "\u{1B}P>|XTerm(390)\u{1B}\\\u{1B}[?64;4c", .sixel),
      (["TERM": "xterm-256color"], "\u{1B}P>|XTerm(390)\u{1B}\\\u{1B}[?64;4;22c", .sixel),
      (["TERM": "xterm-256color"], "\u{1B}[?64;22c", .blocks256),
      // The class of the terminal is no capability.
      (["TERM": "xterm-256color"], "\u{1B}[?4;22c", .blocks256),
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], "", .blocks),
      (["TERM": "xterm-direct"], "", .blocks),
      (["TERM": "alacritty"], "\u{1B}[?6c", .blocks),
      (["TERM": "tmux-256color", "TMUX": "/tmp/x"], "\u{1B}[?1;2;4c", .sixel),
      (["TERM": "tmux-256color", "TMUX": "/tmp/x", "LC_TERMINAL": "iTerm2"], "\u{1B}[?1;2c", .blocks256),
      (["TERM": "tmux-256color", "TMUX": "/tmp/x"], "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?1;2c", .blocks256),
      (
        ["TERM": "tmux-256color", "TMUX": "/tmp/x", "COLORTERM": "truecolor"],
        "\u{1B}[?1;2c\u{1B}_Gi=31;OK\u{1B}\\\u{1B}P1+r544E=787465726D2D67686F73747479\u{1B}\\", .kitty
      ),
      (["TERM": "screen.xterm-256color", "STY": "1"], "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?1;2c", .blocks256),
      (["TERM": "xterm"], "\u{1B}P>|tmux 3.4\u{1B}\\\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?1;2c", .blocks256),
    ])
  func choice(environment: [String: String], answer: String, expected: GraphicsProtocol) {
    #expect(TerminalDetection(environment).graphics(read(answer)) == expected)
  }

  @Test("the size of a cell is what was answered, or follows from the window, or is assumed")
  func cells() {
    let size = Output.Size(columns: 80, rows: 24, width: 720, height: 480)
    #expect(GraphicsTerminal.cell(read("\u{1B}[6;30;15t"), size) == CellMetrics(width: 15, height: 30))
    #expect(GraphicsTerminal.cell(read("\u{1B}[4;960;800t"), size) == CellMetrics(width: 10, height: 40))
    #expect(GraphicsTerminal.cell(read(""), size) == CellMetrics(width: 9, height: 20))
    #expect(GraphicsTerminal.cell(read(""), Output.Size(columns: 80, rows: 24)) == .assumed)
    // Some say cells for pixels.
    #expect(GraphicsTerminal.cell(read("\u{1B}[4;24;80t"), size) == .assumed)
  }
}

/// Questions and answers on a terminal of the kernel. One at a time: the settings of a terminal are the process's.
@Suite("Terminal graphics: questions", .serialized, .timeLimit(.minutes(5)))
struct TerminalProbeTests {
  /// Plays the terminal on a thread: waits for the last question, then types pieces one by one.
  private func ask(
    _ pieces: [String], before: String = "", multiplexer: Multiplexer = .none,
    deadline: Duration = .seconds(60)
  ) throws -> (answers: TerminalResponses, asked: String, settings: [[Bool]]) {
    let pseudo = try PseudoTerminal(columns: 80, rows: 24)
    pseudo.type(before)
    let (master, asked) = (pseudo.master, Lock([UInt8]()))
    let done = Gate()
    let settings = Lock([[Bool]]())
    Threads.start(name: "terminal") {
      var seen: [UInt8] = []
      while !String(decoding: seen, as: UTF8.self).hasSuffix("\u{1B}[c") {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(master, &buffer, buffer.count)
        guard count > 0 else { break }
        seen += buffer[..<count]
      }
      var now = termios()
      if tcgetattr(master, &now) == 0 {
        let flags = [ECHO, ICANON, ISIG].map { now.c_lflag & tcflag_t($0) != 0 }
        settings.withLock { $0.append(flags) }
      }
      for piece in pieces {
        let bytes = Array(piece.utf8)
        _ = write(master, bytes, bytes.count)
        sched_yield()
      }
      let all = seen
      asked.withLock { $0 = all }
      done.open()
    }
    var probe = TerminalProbe(
      input: pseudo.end, output: pseudo.end, multiplexer: multiplexer, deadline: deadline)
    probe.passthroughDeadline = deadline
    let answers = probe.ask()
    done.waitBlocking()
    let text = asked.withLock { String(decoding: $0, as: UTF8.self) }
    return (answers, text, settings.withLock { $0 } + [pseudo.settings])
  }

  private static let cooked = [true, true, true]
  /// ^C still ends.
  private static let asking = [false, false, true]

  @Test("a terminal that answers is asked once, and its settings are put back")
  func answers() throws {
    let result = try ask(["\u{1B}[6;20;10t\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;4c"])
    #expect(result.answers.kittyGraphics == true && result.answers.attributes == [62, 4])
    #expect(result.settings == [Self.asking, Self.cooked])
    #expect(result.asked.contains("a=q") && result.asked.contains("\u{1B}[16t"))
  }

  @Test("a slow terminal that answers byte by byte is waited for")
  func slow() throws {
    let text = "\u{1B}P>|foot(1.16)\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;4;22c"
    let result = try ask(text.utf8.map { String(UnicodeScalar($0)) })
    #expect(result.answers.version == "foot(1.16)" && result.answers.attributes == [62, 4, 22])
    #expect(result.answers.keys.isEmpty && result.settings.last == Self.cooked)
  }

  @Test("a terminal that says nothing is given up, what was typed is kept")
  func silence() throws {
    let result = try ask(["w"], before: "ls\r", deadline: .milliseconds(300))
    #expect(result.answers.attributes == nil && result.settings.last == Self.cooked)
    #expect(String(decoding: result.answers.keys, as: UTF8.self).replacing("\r", with: "\n") == "ls\nw")
  }

  @Test("garbage before, between and after the answers does no harm")
  func garbage() throws {
    let result = try ask(["\u{1B}[?1;", "zq\u{1B}]", "\u{1B}_", "\u{1B}[?62;4c", "x"])
    #expect(result.answers.attributes == [62, 4] && result.answers.kittyGraphics == nil)
    #expect(result.settings == [Self.asking, Self.cooked])
  }

  @Test("in tmux, the terminal outside is asked past it and may answer later")
  func tmux() throws {
    let result = try ask(
      ["\u{1B}[?1;2c", "\u{1B}_Gi=31;OK\u{1B}\\", "\u{1B}P1+r544e=787465726d2d6b69747479\u{1B}\\"],
      multiplexer: .tmux)
    #expect(result.answers.kittyGraphics == true && result.answers.terminfoName == "xterm-kitty")
    #expect(result.asked.contains("\u{1B}Ptmux;\u{1B}\u{1B}_G"))
    let closed = try ask(["\u{1B}[?1;2c"], multiplexer: .tmux, deadline: .milliseconds(300))
    #expect(closed.answers.attributes == [1, 2] && closed.answers.kittyGraphics == nil)
    let screen = try ask(["\u{1B}[?1;2c"], multiplexer: .screen)
    #expect(!screen.asked.contains("a=q"))
  }
}
