import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials
import Glibc

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows images in the terminal, while they are loaded; plays animations.",
    discussion: """
      Pictures are as large as the window has room for, never larger than they are. They are drawn with the graphics \
      of the terminal if it has any (kitty, iTerm2, sixel), else with coloured characters. An endless animation plays \
      until ^C, or once if more images follow. With --json, pictures are drawn on standard error.
      """)

  @Argument(help: ArgumentHelp("URLs or files.", valueName: "url|file"))
  var sources: [Source]

  @OptionGroup(title: "Display options") var graphics: GraphicsOptions

  @Option(
    help: ArgumentHelp("Times an animation plays; 0 for ever. Default: as it says itself.", valueName: "n"))
  var loops: Int?

  @Flag(help: "Only the first frame of an animation.")
  var firstFrame = false

  @Flag(help: "Nothing before the image is complete.")
  var noPreviews = false

  @OptionGroup(title: "Request options") var requests: RequestOptions
  @OptionGroup(title: "Loading options") var loading: LoadingOptions
  @OptionGroup(title: "Cache options") var cache: CacheOptions

  @Flag(help: "Use no disk cache.")
  var noCache = false

  @Flag(help: "One JSON object a line.")
  var json = false

  @Flag(help: "No progress and no captions; pictures and errors only.")
  var quiet = false

  func validate() throws {
    guard !sources.isEmpty else { throw ValidationError("Say what to show: URLs or files.") }
    if let loops, !(0...1_000_000).contains(loops) { throw ValidationError("--loops is 0 to 1000000.") }
    if firstFrame, loops != nil { throw ValidationError("--first-frame leaves nothing for --loops to play.") }
    if noCache, requests.cachePolicy == .cacheOnly {
      throw ValidationError("--no-cache leaves --cache-policy cache-only nothing to look at.")
    }
  }

  func run() async throws {
    let output = json ? STDERR_FILENO : STDOUT_FILENO
    try checkTerminal(output)
    let workers = WorkerExecutor(name: "calotype-show", threads: 1)
    let (wanted, environment) = (graphics.choice.graphics, ProcessInfo.processInfo.environment)
    let terminal = try await workers.run {
      GraphicsTerminal.detect(output: output, wanted: wanted, environment: environment)
    }
    TerminalGuard.enter(.drawing, input: output, output: output)
    defer { TerminalGuard.leave() }
    let pipeline = ImagePipeline(configuration)
    var stage = ShowStage(
      terminal: graphics.applied(to: terminal), options: graphics, isQuiet: quiet || json, workers: workers)
    var hasFailed = false
    for (index, source) in sources.enumerated() {
      do {
        try await show(source, isLast: index == sources.count - 1, of: pipeline, on: &stage)
      } catch {
        hasFailed = true
        try? stage.abandon()
        Failure(source: source.text, error: error).report(asJSON: json)
      }
      if Task.isCancelled { break }
    }
    await pipeline.flush()
    try Task.checkCancellation()
    if hasFailed { throw ExitCode(1) }
  }

  /// - Throws: ``ArgumentParser/ValidationError``.
  private func checkTerminal(_ output: Int32) throws {
    let name = json ? "Standard error" : "Standard output"
    guard isatty(output) == 1 else {
      throw ValidationError(
        "\(name) is not a terminal, which pictures could be shown on; calotype get writes them into files.")
    }
    guard let type = getenv("TERM"), !["", "dumb"].contains(String(cString: type)) else {
      throw ValidationError(
        "TERM says that the terminal can show nothing but text; set it to what the terminal is, such as "
          + "xterm-256color.")
    }
  }

  /// One source from beginning to end.
  private func show(
    _ source: Source, isLast: Bool, of pipeline: ImagePipeline, on stage: inout ShowStage
  ) async throws {
    let start = ContinuousClock.now
    try await stage.begin(source.text)
    let request = try request(for: source, on: stage)
    var found: ImageResponse?
    for try await event in pipeline.events(for: request) {
      switch event {
      case .queued, .started, .refreshFailed: continue
      case .progress(let progress): try await stage.progress(progress)
      case .preview(let image): try await stage.draw(image.bitmap, isPreview: true)
      case .staleResponse(let response), .response(let response), .notModified(let response):
        try await stage.draw(response.image.bitmap)
        found = response
      }
    }
    guard let response = found else { throw CancellationError() }
    let report = ShowReport(source, response, stage, duration: ContinuousClock.now - start)
    try await stage.caption(report.caption)
    var plays = 0
    if let animation = response.animation {
      let wanted = loops ?? (animation.loopCount == 0 && !isLast ? 1 : animation.loopCount)
      // However it ends, it was shown.
      let ending = await Result { try await stage.play(animation, plays: wanted) }
      plays = wanted
      if case .failure(let error) = ending, !Task.isCancelled { throw error }
    }
    stage.end()
    if json { Output.json(report.line(plays: plays)) }
  }

  private func request(for source: Source, on stage: ShowStage) throws -> ImageRequest {
    var request = requests.applied(to: ImageRequest(url: try source.url))
    request = try loading.applied(to: request, for: source)
    request.thumbnail = stage.thumbnail
    request.frames = firstFrame ? .first : .all
    // Every window has another size: only originals are worth keeping.
    request.storeTiers = .originals
    if !noPreviews { request.previews = .interval(.milliseconds(100)) }
    return request
  }

  private var configuration: ImagePipeline.Configuration {
    ImagePipeline.Configuration(
      loader: loading.loader(partials: noCache ? nil : cache.partials),
      memoryCache: nil, diskCache: noCache ? nil : DiskCache(cache.configuration),
      decodeLimits: loading.decodeLimits)
  }
}

extension Result where Failure == any Error, Success: Sendable {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
