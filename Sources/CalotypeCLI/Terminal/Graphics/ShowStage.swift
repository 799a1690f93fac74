import Calotype
import CalotypeSupport
import Glibc

/// Where `show` draws: one picture after the other, each with a caption. Pictures are encoded and written on a thread that may
/// block.
struct ShowStage: Sendable {
  let terminal: GraphicsTerminal
  private let options: GraphicsOptions
  private let isQuiet: Bool
  private let workers: WorkerExecutor
  private var block: PictureBlock
  private var name = ""
  private var lastProgress: ContinuousClock.Instant?
  /// Previews that were drawn of the picture.
  private(set) var previews = 0

  init(terminal: GraphicsTerminal, options: GraphicsOptions, isQuiet: Bool, workers: WorkerExecutor) {
    self.terminal = terminal
    self.options = options
    self.isQuiet = isQuiet
    self.workers = workers
    block = PictureBlock(encoder: terminal.encoder)
  }

  /// Cells that the picture takes.
  var cells: (columns: Int, rows: Int) { (block.columns, block.rows) }

  /// What pictures have to be shrunk to.
  var thumbnail: Thumbnail {
    let (columns, rows) = limits
    let box = PictureFit.decodeBox(columns: columns, rows: rows, cell: terminal.encoder.metrics)
    return .fit(box.width, box.height)
  }

  /// The line of the cursor is not for the picture, nor that of the caption.
  private var limits: (columns: Int, rows: Int) {
    options.limits(in: terminal.size, reserved: isQuiet ? 1 : 2)
  }

  /// The next picture comes.
  mutating func begin(_ name: String) async throws {
    self.name = name
    (lastProgress, previews) = (nil, 0)
    try await caption("")
  }

  /// Tells how far its transfer is, some times a second.
  mutating func progress(_ progress: LoadProgress) async throws {
    let now = ContinuousClock.now
    if let lastProgress, now - lastProgress < ProgressDisplay.interval { return }
    lastProgress = now
    var text = Formatting.bytes(progress.received)
    if let expected = progress.expected { text += " of \(Formatting.bytes(expected))" }
    if let fraction = progress.fraction { text = "\(Int(fraction * 100)) %  \(text)" }
    try await caption(text)
  }

  /// Writes the name and a text below the picture, as far as there is room.
  mutating func caption(_ text: String) async throws {
    guard !isQuiet else { return }
    let room = max(1, terminal.size.columns - 1)
    let name = TerminalText.tail(of: name, cells: max(1, room - text.count - 2))
    let line = text.isEmpty ? name.text : name.text + "  " + text
    try write(block.caption(String(line.prefix(room))))
  }

  /// Draws a picture in place of the one before.
  mutating func draw(_ bitmap: Bitmap, isPreview: Bool = false) async throws {
    let (columns, rows) = limits
    let (before, output) = (block, terminal.output)
    block = try await workers.run {
      var block = before
      let bytes = try block.show(bitmap, columns: columns, rows: rows)
      guard Output.write(bytes, to: output) else { throw Self.failure }
      return block
    }
    if isPreview { previews += 1 }
  }

  /// Plays an animation in place of the picture.
  mutating func play(_ animation: AnimatedImage, plays: Int) async throws {
    let durations = (0..<animation.frameCount).map { animation.duration(of: $0) }
    try await AnimationPlayback.play(frames: durations, plays: plays, clock: ContinuousClock()) { index in
      let frame = try await workers.run { try animation.frame(at: index) }
      try await draw(frame.bitmap)
    }
  }

  /// The picture stays.
  mutating func end() { block.finish() }

  /// What there is of the picture stays, but for its caption.
  mutating func abandon() throws {
    try write(block.removeCaption())
    block.finish()
  }

  private func write(_ bytes: [UInt8]) throws {
    guard Output.write(bytes, to: terminal.output) else { throw Self.failure }
  }

  private static var failure: CommandError {
    .unwritableOutput(path: "the terminal", reason: String(cString: strerror(errno)))
  }
}
