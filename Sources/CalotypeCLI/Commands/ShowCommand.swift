import CalotypeDisplay
import ArgumentParser
import Calotype
import FoundationEssentials
import Glibc
import CalotypeTerminal

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows images in the terminal while they load, and plays animations.",
    discussion: """
      Images are downsampled to the window, and never enlarged. They are drawn by the graphics protocol of the terminal \
      (kitty, iTerm2, sixel), else by coloured characters. An endless animation plays until ^C, or once if more images \
      follow. With --json, images are drawn on standard error.
      """)

  @Argument(help: ArgumentHelp("URLs or files.", valueName: "url|file"))
  var runs: [ConsecutiveSources]
  private var sources: [Source] { runs.flatMap(\.sources) }

  @OptionGroup(title: "Display options") var graphics: GraphicsOptions
  @OptionGroup(title: "Display options") var size: PictureSizeOptions

  @Option(
    help: ArgumentHelp(
      "Number of loops of an animation; 0 for ever. Default: the number in the file.", valueName: "n"))
  var loops: Int?

  @Flag(help: "Show only the first frame of an animation.")
  var firstFrame = false

  @Flag(help: "Show nothing before the image is complete.")
  var noPreviews = false

  @OptionGroup(title: "Decoding options") var coders: CoderOptions
  @OptionGroup(title: "Request options") var requests: RequestOptions
  @OptionGroup(title: "Loading options") var loading: LoadingOptions
  @OptionGroup(title: "Cache options") var cache: CacheOptions

  @Flag(help: "Do not use the disk cache.")
  var noCache = false

  @Flag(help: "One JSON object a line.")
  var json = false

  @Flag(help: "Print no progress and no captions, only images and errors.")
  var quiet = false

  func validate() throws {
    guard !runs.isEmpty else { throw ValidationError("Specify the images to show: URLs or files.") }
    if let loops, !(0...1_000_000).contains(loops) { throw ValidationError("--loops is 0 to 1000000.") }
    if firstFrame, loops != nil { throw ValidationError("--first-frame and --loops exclude each other.") }
    if noCache, requests.cachePolicy == .cacheOnly {
      throw ValidationError("--no-cache and --cache-policy cache-only exclude each other.")
    }
  }

  func run() async throws {
    let output = json ? STDERR_FILENO : STDOUT_FILENO
    try graphics.check(output, named: json ? "Standard error" : "Standard output")
    var terminal = try await graphics.terminal(on: output)
    terminal.encoder.enlarges = size.limits.enlarges
    TerminalGuard.enter(.drawing, input: output, output: output)
    defer {
      if terminal.mayAnswerLate { TerminalInput(of: output)?.discard() }
      TerminalGuard.leave()
    }
    let pipeline = ImagePipeline(configuration)
    var stage = ShowStage(terminal: terminal, size: size.limits, isQuiet: quiet || json)
    var hasFailed = false
    let sources = sources
    for (index, source) in sources.enumerated() {
      do {
        try await show(source, isLast: index == sources.count - 1, of: pipeline, on: &stage)
      } catch {
        hasFailed = true
        try? stage.abandon()
        Failure(source: source.shown, error: error).report(asJSON: json)
      }
      if Task.isCancelled { break }
    }
    await pipeline.flush()
    try Task.checkCancellation()
    if hasFailed { throw ExitCode(1) }
  }

  /// Processes one source from beginning to end.
  private func show(
    _ source: Source, isLast: Bool, of pipeline: ImagePipeline, on stage: inout ShowStage
  ) async throws {
    try await stage.begin(source.shown)
    let request = try request(for: source, on: stage)
    var showing = Showing(source.shown)
    var options = ImageSlot.Options()
    // Played by `play` below, which also plays while the image is still arriving.
    options.autoplay = false
    let slot = ImageSlot(pipeline, options: options)
    slot.load(request)
    for await state in slot.states {
      try await showing.draw(state, on: &stage)
      if state.phase != .loading || (showing.motion != nil && !firstFrame) { break }
    }
    try Task.checkCancellation()
    if let response = showing.response {
      if response.animation != nil {
        try await play(AnimationPlayer(response), of: slot, isLast, &showing, &stage)
      }
    } else {
      // Plays the arrived frames while the slot continues to load.
      try await pipeline.withPlayer(for: request) { player in
        try await play(player, of: slot, isLast, &showing, &stage)
      }
    }
    stage.end()
    guard json, let report = showing.report else { return }
    Output.json(report.line(plays: plays(of: showing.response, isLast)))
  }

  /// Plays until the end, or until the user interrupts: a complete image counts as shown then.
  private func play(
    _ player: AnimationPlayer, of slot: ImageSlot, _ isLast: Bool, _ showing: inout Showing,
    _ stage: inout ShowStage
  ) async throws {
    player.lateFrames = .drop
    switch loops {
    case .some(0): player.loops = .forever
    case .some(let loops): player.loops = .count(loops)
    case nil: player.loops = !isLast && showing.motion == .endless ? .count(1) : .fromFile
    }
    do {
      for try await frame in player.frames() {
        try await stage.draw(frame.bitmap)
        try await showing.tell(slot.state, on: &stage)
      }
      for await state in slot.states {
        try await showing.tell(state, on: &stage)
        if showing.report != nil { return }
      }
      throw CancellationError()
    } catch {
      if !Task.isCancelled || showing.report == nil { throw error }
    }
  }

  /// Returns the number of loops to play.
  private func plays(of response: ImageResponse?, _ isLast: Bool) -> Int {
    guard let animation = response?.animation else { return 0 }
    return loops ?? (animation.loopCount == 0 && !isLast ? 1 : animation.loopCount)
  }

  private func request(for source: Source, on stage: ShowStage) throws -> ImageRequest {
    var request = requests.applied(to: coders.applied(to: ImageRequest(url: try source.url)))
    request = try loading.applied(to: request, for: source)
    request.thumbnail = stage.thumbnail
    request.frames = firstFrame ? .first : .all
    // Every window has another size: only originals are worth storing.
    request.storeTiers = .originals
    if !noPreviews { request.previews = .interval(.milliseconds(100)) }
    return request
  }

  private var configuration: ImagePipeline.Configuration {
    var configuration = ImagePipeline.Configuration(
      loader: loading.loader(partials: noCache ? nil : cache.partials),
      memoryCache: nil, diskCache: noCache ? nil : DiskCache(cache.configuration),
      decodeLimits: loading.decodeLimits)
    configuration.decoding = coders.decoding
    return configuration
  }
}
