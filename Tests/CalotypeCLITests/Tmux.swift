import FoundationEssentials
import Glibc

/// A terminal of tmux with a shell in it, in a server of its own that ends with it.
final class Tmux {
  struct Failure: Error, CustomStringConvertible { let description: String }

  static let path = "/usr/bin/tmux"

  /// A cell as tmux says it stands there.
  struct Cell: Equatable {
    var character: Character = " "
    /// The parameters of SGR: `5;236`, `2;10;20;30`, `31`; `nil` for the terminal's own.
    var foreground: String?
    var background: String?
  }

  private let socket: String

  init(columns: Int, rows: Int) throws {
    socket = "calotype-\(UUID().uuidString)"
    let shell = "PS1='$ ' TERM=tmux-256color SWIFT_BACKTRACE=enable=no exec /bin/sh"
    try tell(
      "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", shell)
    try tell("set-option", "-g", "history-limit", "0")
  }

  deinit { _ = try? tell("kill-server") }

  /// Runs a command of tmux.
  @discardableResult
  private func tell(_ arguments: String...) throws -> String {
    let run = try Tool.start(program: Self.path, ["-L", socket] + arguments, environment: ["TMUX": ""]).wait()
    guard run.status == 0 else { throw Failure(description: "tmux \(arguments): \(run.errors)") }
    return run.output
  }

  /// Types text, and Enter.
  func line(_ text: String) throws {
    try tell("send-keys", "-l", text)
    try press("Enter")
  }

  /// Presses keys by name: `Enter`, `PPage`, `C-c`, `q` …
  func press(_ keys: String...) throws {
    for key in keys { try tell("send-keys", key) }
  }

  func resize(columns: Int, rows: Int) throws {
    try tell("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// What tmux says by a format, such as `#{alternate_on}`.
  func value(_ format: String) throws -> String {
    String(try tell("display-message", "-p", format).prefix { $0 != "\n" })
  }

  /// Whether the alternate screen is shown, and the cursor.
  var modes: (isAlternate: Bool, hasCursor: Bool) {
    get throws {
      let values = try value("#{alternate_on} #{cursor_flag}").split(separator: " ")
      return (values.first == "1", values.last == "1")
    }
  }

  /// What stands in the window.
  func cells() throws -> [[Cell]] {
    var pen = Cell()
    return try tell("capture-pane", "-p", "-e", "-N").split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast().map { line in
        var cells: [Cell] = []
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
          guard scalar == "\u{1B}" else {
            cells.append(
              Cell(character: Character(scalar), foreground: pen.foreground, background: pen.background))
            continue
          }
          guard rest.popFirst() == "[" else { continue }
          let parameters = rest.prefix { !("@"..."~").contains($0) }
          rest = rest.dropFirst(parameters.count)
          if rest.popFirst() == "m" { pen = Self.applied(String(parameters), to: pen) }
        }
        return cells
      }
  }

  private static func applied(_ text: String, to pen: Cell) -> Cell {
    var pen = pen
    var numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }[...]
    while let number = numbers.popFirst() {
      switch number {
      case 0: pen = Cell()
      case 39: pen.foreground = nil
      case 49: pen.background = nil
      case 38, 48:
        let color = numbers.prefix(numbers.first == 2 ? 4 : 2)
        numbers = numbers.dropFirst(color.count)
        let text = color.map(String.init).joined(separator: ";")
        if number == 38 { pen.foreground = text } else { pen.background = text }
      case 30...37: pen.foreground = "\(number)"
      default: break
      }
    }
    return pen
  }

  /// Looks until what stands there is as expected; what stands there then.
  @discardableResult
  func wait(
    for what: String, limit: Duration = .seconds(60), until isReached: ([[Cell]]) throws -> Bool
  ) throws -> [[Cell]] {
    let end = ContinuousClock.now + limit
    while true {
      let cells = try cells()
      if try isReached(cells) { return cells }
      guard ContinuousClock.now < end else {
        throw Failure(description: "no \(what) in time:\n" + cells.map(Self.text).joined(separator: "\n"))
      }
    }
  }

  /// Waits until the shell can take a line.
  func waitForPrompt() throws {
    try wait(for: "prompt") { cells in cells.map(Self.text).last { !$0.isEmpty } == "$" }
  }

  static func text(_ cells: [Cell]) -> String {
    var text = String(cells.map(\.character))
    while text.last == " " { text.removeLast() }
    return text
  }
}
