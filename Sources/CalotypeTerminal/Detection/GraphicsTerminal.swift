import Calotype
import CalotypeSupport
import Glibc

/// A terminal that can show pictures: which way, and how large.
package struct GraphicsTerminal: Sendable {
  /// Where to write to.
  package let output: Int32
  /// How pictures are drawn on it.
  package var encoder: PictureEncoder
  /// What was typed while it was asked.
  package var keys: [UInt8] = []
  /// Whether answers may still come, which nobody must take for keys.
  package var mayAnswerLate = false

  /// Columns and rows, now.
  package var size: Output.Size { Output.size(of: output) }

  /// Finds out how a terminal shows pictures. Blocks, for a second at most.
  ///
  /// - Parameters:
  ///   - output: The terminal.
  ///   - wanted: The protocol, if it is not to be found out.
  ///   - environment: Variables of the environment.
  ///   - deadline: How long to wait for a terminal that does not answer.
  package static func detect(
    output: Int32, wanted: GraphicsProtocol?, environment: [String: String],
    deadline: Duration = .seconds(1)
  ) -> GraphicsTerminal {
    let clues = TerminalDetection(environment)
    var answers = TerminalResponses()
    var mayAnswerLate = false
    if clues.answersQuestions, let input = TerminalInput(of: output) {
      var probe = TerminalProbe(
        input: input.descriptor, output: output, multiplexer: clues.multiplexer, deadline: deadline)
      probe.asksGraphics = wanted == nil
      answers = probe.ask()
      mayAnswerLate = answers.attributes == nil
    }
    let multiplexer = clues.multiplexer(answers)
    let graphics = wanted ?? clues.graphics(answers)
    var encoder = PictureEncoder(graphics: graphics, multiplexer: multiplexer)
    encoder.cell = cell(answers, Output.size(of: output))
    if let background = answers.background { encoder.terminalBackground = background }
    return GraphicsTerminal(
      output: output, encoder: encoder, keys: answers.keys, mayAnswerLate: mayAnswerLate)
  }

  /// By what was answered, or else by what the kernel was told; `assumed` if by nobody.
  static func cell(_ answers: TerminalResponses, _ size: Output.Size) -> CellMetrics {
    if let cell = answers.cell {
      let cell = CellMetrics(width: Double(cell.width), height: Double(cell.height))
      if isLikely(cell) { return cell }
    }
    let window = answers.window ?? PixelSize(width: size.width, height: size.height)
    let cell = CellMetrics(
      width: Double(window.width) / Double(size.columns), height: Double(window.height) / Double(size.rows))
    return isLikely(cell) ? cell : .assumed
  }

  /// Nonsense, such as a size in cells, is not believed, nor what would make pictures of gigabytes.
  private static func isLikely(_ cell: CellMetrics) -> Bool {
    (2...256).contains(cell.width) && (0.5...8).contains(cell.height / cell.width)
  }
}
