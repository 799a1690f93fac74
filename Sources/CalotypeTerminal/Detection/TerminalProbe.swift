import CalotypeSupport
import Glibc

/// Asks a terminal for its capabilities.
struct TerminalProbe {
  /// Where answers and keys come from.
  let input: Int32
  /// Where questions go to.
  let output: Int32
  var multiplexer = Multiplexer.none
  /// Whether to ask for graphics.
  var asksGraphics = true
  /// How long to wait for a terminal that does not answer.
  var deadline = Duration.seconds(1)
  /// How long a terminal outside of a multiplexer may take longer than the multiplexer, at least; a slow multiplexer makes
  /// a slow terminal likely.
  var passthroughDeadline = Duration.milliseconds(150)

  /// The answers that come in time. Blocks; echo and line mode of the terminal are off meanwhile, and as they were
  /// afterwards.
  func ask() -> TerminalResponses {
    var answers = TerminalResponses()
    TerminalGuard.enter(.asking, input: input, output: output)
    defer { TerminalGuard.leave() }
    guard Output.write(questions, to: output) else { return answers }
    let clock = ContinuousClock()
    let start = clock.now
    var end = start.advanced(by: deadline)
    var isAnswered = false
    while wait(until: end) {
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { break }
      answers.read(buffer[..<count])
      // The last question is one that every terminal answers; but the outer terminal answers later than the multiplexer.
      guard answers.attributes != nil else { continue }
      if multiplexer != .tmux || !asksGraphics || answers.terminfoName != nil { break }
      if !isAnswered {
        end = clock.now.advanced(by: max(passthroughDeadline, start.duration(to: clock.now) * 3))
      }
      isAnswered = true
    }
    answers.finish()
    return answers
  }

  /// Name and version, colour of the background, sizes, kitty's graphics, and at last the attributes.
  private var questions: [UInt8] {
    var bytes = Array("\u{1B}[>0q\u{1B}]11;?\u{1B}\\\u{1B}[16t\u{1B}[14t".utf8)
    switch multiplexer {
    case _ where !asksGraphics:
      break
    case .none:
      bytes += KittyGraphics.query(id: Self.queryID)
    case .tmux:
      // tmux keeps the answers to most questions for itself; these it takes for keys and hands them on.
      bytes += multiplexer.passthrough(KittyGraphics.query(id: Self.queryID))
      bytes += multiplexer.passthrough("\u{1B}P+q544e\u{1B}\\")
    case .screen:
      break
    }
    bytes.append("\u{1B}[c")
    return bytes
  }

  private static let queryID: UInt32 = 31

  /// Whether something can be read before the time is over.
  private func wait(until end: ContinuousClock.Instant) -> Bool {
    while true {
      let left = end - .now
      guard left > .zero else { return false }
      var entry = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      let count = poll(&entry, 1, Int32((left / .milliseconds(1)).rounded(.up)))
      if count > 0 { return entry.revents & Int16(POLLIN) != 0 }
      if count < 0, errno != EINTR { return false }
    }
  }
}
