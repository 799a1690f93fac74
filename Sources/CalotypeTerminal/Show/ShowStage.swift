package import Calotype
import CalotypeSupport

/// The area that `show` draws in: one picture after the other, each with a caption. Pictures are encoded and written on a
/// thread that may block.
package struct ShowStage: Sendable {
  package let terminal: GraphicsTerminal
  private let size: PictureSizeLimits
  private let isQuiet: Bool
  private let workers = WorkerExecutor(name: "calotype-show", threads: 1)
  private var block: PictureBlock
  private var name = ""
  private var resumes = TerminalGuard.resumeCount
  private var lastProgress: ContinuousClock.Instant?
  /// Previews that were drawn of the picture.
  private(set) var previews = 0

  package init(terminal: GraphicsTerminal, size: PictureSizeLimits, isQuiet: Bool) {
    self.terminal = terminal
    self.size = size
    self.isQuiet = isQuiet
    block = PictureBlock(encoder: terminal.encoder)
  }

  /// Cells that the picture takes.
  package var cells: (columns: Int, rows: Int) { (block.columns, block.rows) }

  /// The thumbnail that fits the window.
  package var thumbnail: Thumbnail {
    let (columns, rows) = limits
    let box = PictureFit.decodeBox(columns: columns, rows: rows, cell: terminal.encoder.metrics)
    return .fit(width: box.width, height: box.height)
  }

  /// The cells of a picture: all but the line of the cursor and that of the caption.
  private var limits: (columns: Int, rows: Int) {
    size.cells(in: terminal.size, reserved: isQuiet ? 1 : 2)
  }

  /// Begins the next picture.
  package mutating func begin(_ name: String) async throws {
    self.name = name
    (lastProgress, previews) = (nil, 0)
    try await caption("")
  }

  /// Shows the progress of the transfer, some times a second.
  package mutating func progress(_ progress: LoadProgress) async throws {
    let now = ContinuousClock.now
    if let lastProgress, now - lastProgress < ProgressDisplay.interval { return }
    lastProgress = now
    var text = Formatting.bytes(progress.received)
    if let expected = progress.expected { text += " of \(Formatting.bytes(expected))" }
    if let fraction = progress.fraction { text = "\(Int(fraction * 100)) %  \(text)" }
    try await caption(text)
  }

  /// Writes the name and a text below the picture, cut to the width of the window.
  package mutating func caption(_ text: String) async throws {
    guard !isQuiet else { return }
    let room = max(1, terminal.size.columns - 1)
    let name = TerminalText.tail(of: name, cells: max(1, room - text.count - 2))
    let line = text.isEmpty ? name.text : name.text + "  " + text
    try await change { block in block.caption(String(line.prefix(room))) }
  }

  /// Draws a picture in place of the one before.
  package mutating func draw(_ bitmap: Bitmap, isPreview: Bool = false) async throws {
    let (columns, rows) = limits
    try await change { block in try block.show(bitmap, columns: columns, rows: rows) }
    if isPreview { previews += 1 }
  }

  /// Ends the picture, which stays.
  package mutating func end() { block.finish() }

  /// Ends a picture that has failed: the part that is drawn stays, the caption goes.
  package mutating func abandon() throws {
    guard Output.write(block.removeCaption(), to: terminal.output) else {
      throw TerminalError.lastWrite
    }
    block.finish()
  }

  /// Changes the block, and writes the bytes of the change. If the process was stopped meanwhile, other programs may have
  /// written: the picture is then drawn again below.
  private mutating func change(
    _ body: @escaping @Sendable (inout PictureBlock) throws -> [UInt8]
  ) async throws {
    let (before, output, isElsewhere) = (block, terminal.output, resumes != TerminalGuard.resumeCount)
    resumes = TerminalGuard.resumeCount
    block = try await workers.run {
      var block = before
      var bytes = isElsewhere ? block.startAgain() : []
      bytes += try body(&block)
      guard Output.write(bytes, to: output) else { throw TerminalError.lastWrite }
      return block
    }
  }
}
