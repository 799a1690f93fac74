import Calotype
import CalotypeSupport
import Glibc

/// A terminal that can show pictures: which way, and how large.
struct GraphicsTerminal: Sendable {
  /// Where to write to.
  let output: Int32
  /// How pictures are drawn on it.
  var encoder: PictureEncoder
  /// What was typed while it was asked.
  var keys: [UInt8] = []

  /// Columns and rows, now.
  var size: Output.Size { Output.size(of: output) }

  /// Finds out how a terminal shows pictures. Blocks, for a second at most.
  ///
  /// - Parameters:
  ///   - output: The terminal.
  ///   - wanted: The protocol, if it is not to be found out.
  ///   - environment: Variables of the environment.
  ///   - deadline: How long to wait for a terminal that does not answer.
  static func detect(
    output: Int32, wanted: GraphicsProtocol?, environment: [String: String],
    deadline: Duration = .seconds(1)
  ) -> GraphicsTerminal {
    let clues = TerminalClues(environment)
    var answers = TerminalAnswers()
    if clues.answersQuestions, let input = TerminalInput(of: output) {
      let probe = TerminalProbe(
        input: input.descriptor, output: output, multiplexer: clues.multiplexer, deadline: deadline)
      answers = probe.ask()
      input.close()
    }
    let multiplexer = clues.multiplexer(answers)
    let graphics = wanted ?? clues.graphics(answers)
    var encoder = PictureEncoder(graphics: graphics, multiplexer: multiplexer)
    encoder.cell = cell(answers, Output.size(of: output))
    if let background = answers.background { encoder.terminalBackground = background }
    return GraphicsTerminal(output: output, encoder: encoder, keys: answers.keys)
  }

  /// By what was answered, or else by what the kernel was told; `assumed` if by nobody.
  static func cell(_ answers: TerminalAnswers, _ size: Output.Size) -> CellMetrics {
    if let cell = answers.cell {
      return CellMetrics(width: Double(cell.width), height: Double(cell.height))
    }
    let window = answers.window ?? PixelSize(width: size.width, height: size.height)
    let cell = CellMetrics(
      width: Double(window.width) / Double(size.columns), height: Double(window.height) / Double(size.rows))
    // Nonsense, such as the size in cells, is not believed.
    let isLikely = cell.width >= 2 && (0.5...8).contains(cell.height / cell.width)
    return isLikely ? cell : .assumed
  }
}

/// Where the answers of a terminal can be read: standard input if it is one, else the terminal that is written to.
private struct TerminalInput {
  let descriptor: Int32
  private let isOpened: Bool

  /// `nil` if there is none, or if somebody else is in the foreground, whose keys these would be.
  init?(of output: Int32) {
    if isatty(STDIN_FILENO) == 1 {
      (descriptor, isOpened) = (STDIN_FILENO, false)
    } else {
      var name = [CChar](repeating: 0, count: 256)
      guard ttyname_r(output, &name, name.count) == 0 else { return nil }
      let opened = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
      guard opened >= 0 else { return nil }
      (descriptor, isOpened) = (opened, true)
    }
    let foreground = tcgetpgrp(descriptor)
    if foreground > 0, foreground != getpgrp() {
      close()
      return nil
    }
  }

  func close() {
    if isOpened { _ = Glibc.close(descriptor) }
  }
}
