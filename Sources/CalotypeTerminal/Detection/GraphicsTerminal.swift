import Calotype
import CalotypeSupport
import Glibc

/// A terminal that can show pictures: its protocol and its geometry.
package struct GraphicsTerminal: Sendable {
  /// The descriptor to write to.
  package let output: Int32
  /// The encoder of pictures for it.
  package var encoder: PictureEncoder
  /// The keys that were typed during detection.
  package var keys: [UInt8] = []
  /// Whether answers may still come, which must not be taken for keys.
  package var mayAnswerLate = false

  /// Columns and rows, now.
  package var size: Output.Size { Output.size(of: output) }

  /// Detects the capabilities of a terminal. Blocks the thread until `deadline` at most.
  ///
  /// - Parameters:
  ///   - output: The terminal.
  ///   - wanted: The protocol; `nil` to detect it.
  ///   - environment: Variables of the environment.
  ///   - deadline: The longest wait for a terminal that does not answer.
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

  /// Returns the cell size by the answers, else by the window size that the kernel knows, else `assumed`.
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

  /// Rejects nonsense, such as a size in cells, and sizes that would make pictures of gigabytes.
  private static func isLikely(_ cell: CellMetrics) -> Bool {
    (2...256).contains(cell.width) && (0.5...8).contains(cell.height / cell.width)
  }
}
