import TerminalScreens

/// A terminal that shows pictures and answers questions, for one command.
final class PictureTerminal {
  /// What kind of terminal it is.
  struct Kind {
    /// What it answers to a question of this text.
    var answers: [(question: String, answer: String)]

    static let plain = Kind(answers: [("\u{1B}[c", "\u{1B}[?62;22c")])
    static let sixel = Kind(answers: [("\u{1B}[16t", "\u{1B}[6;20;10t"), ("\u{1B}[c", "\u{1B}[?62;4;22c")])
    static let kitty = Kind(answers: [
      ("\u{1B}[16t", "\u{1B}[6;20;10t"), ("a=q", "\u{1B}_Gi=31;OK\u{1B}\\"), ("\u{1B}[c", "\u{1B}[?62;22c"),
    ])
    static let iterm2 = Kind(answers: [
      ("\u{1B}[>0q", "\u{1B}P>|iTerm2 3.5.0\u{1B}\\"), ("\u{1B}[16t", "\u{1B}[6;20;10t"),
      ("\u{1B}[c", "\u{1B}[?62;4;22c"),
    ])
    static let silent = Kind(answers: [])
  }

  let pseudo: PseudoTerminal
  private let kind: Kind
  private var answered = 0
  private var seen = ""
  private(set) var screen: PictureScreen
  /// Everything that was written.
  private(set) var bytes: [UInt8] = []

  init(_ kind: Kind, columns: Int = 80, rows: Int = 24) throws {
    self.kind = kind
    pseudo = try PseudoTerminal(columns: columns, rows: rows)
    screen = PictureScreen(columns: columns, rows: rows)
  }

  /// Starts `calotype show` on it.
  func show(
    _ arguments: [String], environment: [String: String] = [:], output: Int32? = nil
  ) throws -> Tool.Child {
    try start(["show"] + arguments, environment: environment, output: output)
  }

  /// Starts the command on it.
  func start(
    _ arguments: [String], environment: [String: String] = [:], output: Int32? = nil
  ) throws -> Tool.Child {
    let variables = [
      "TERM": "xterm-256color", "COLORTERM": "truecolor", "TMUX": "", "STY": "", "TERM_PROGRAM": "",
      "LC_TERMINAL": "",
      // It would ask what to do, on the terminal.
      "SWIFT_BACKTRACE": "enable=no",
    ].merging(environment) { _, new in new }
    // The end of the command is the end of what can be read.
    defer { pseudo.letGo() }
    return try Tool.start(
      arguments, environment: variables, input: pseudo.end, output: output ?? pseudo.end,
      errors: pseudo.end)
  }

  /// Reads until the screen looks as expected. `false` if that does not happen before the command ends.
  func wait(until isReached: (PictureScreen) -> Bool) -> Bool {
    while !isReached(screen) { if !read() { return isReached(screen) } }
    return true
  }

  /// What was written before is of no interest.
  func forget() { bytes = [] }

  /// Reads until the command ends.
  func finish(_ child: Tool.Child) throws -> Tool.Run {
    while read() {}
    return try child.wait()
  }

  private func read() -> Bool {
    guard let piece = pseudo.read() else { return false }
    bytes += piece
    screen.write(piece)
    answer(piece)
    return true
  }

  private func answer(_ piece: [UInt8]) {
    guard answered < kind.answers.count else { return }
    seen += String(decoding: piece, as: UTF8.self)
    while answered < kind.answers.count, seen.contains(kind.answers[answered].question) {
      pseudo.type(kind.answers[answered].answer)
      answered += 1
    }
  }
}
