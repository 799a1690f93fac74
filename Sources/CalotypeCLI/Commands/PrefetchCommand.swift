import ArgumentParser
import Calotype
import CalotypeTerminal
import FoundationEssentials

struct PrefetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prefetch",
    abstract: "Loads the images of a list into the disk cache, for later use by get.",
    discussion: """
      The list has one http or https URL a line; blank lines, and lines that begin with #, are skipped. It is read as it \
      arrives: calotype prefetch - begins with the first line that another program writes. Cached images are skipped, \
      unless they are stale and have to be revalidated, and so are lines that equal an earlier one.

      Only originals are loaded; nothing is decoded. With --decode, thumbnails and transformed images are made as well: pass \
      the pixel options that get will use.
      """)

  @Argument(help: ArgumentHelp("The file with the list, or - for standard input.", valueName: "list|-"))
  var list: String

  @Flag(help: "Also make the results of --thumbnail, --max-pixels and --transform.")
  var decode = false

  @Option(help: "Images to load at a time.")
  var concurrency = 3

  @Flag(help: "One JSON object a line.")
  var json = false

  @Flag(help: "Print no progress and no report, only errors.")
  var quiet = false

  @OptionGroup(title: "Pixel options") var shaping: ShapingOptions
  @OptionGroup(visibility: .hidden) var encoding: EncodingOptions
  @OptionGroup(title: "Decoding options") var coders: CoderOptions
  @OptionGroup(title: "Request options") var requests: RequestOptions
  @OptionGroup(title: "Loading options") var loading: LoadingOptions
  @OptionGroup(title: "Cache options") var cache: CacheOptions

  /// The pixel options of `get`; those of the files that it writes are not given.
  private var pixels: PixelOptions {
    var pixels = PixelOptions()
    (pixels.shaping, pixels.encoding) = (shaping, encoding)
    return pixels
  }

  func validate() throws {
    let pixels = pixels
    guard (1...256).contains(concurrency) else { throw ValidationError("--concurrency is 1 to 256.") }
    if encoding.isGiven {
      throw ValidationError(
        "--format, --quality, --effort, --subsampling, --colors, --set, --lossless and --first-frame apply only to the files that `calotype get` writes; omit them."
      )
    }
    if pixels.keepsColors {
      throw ValidationError(
        "The disk cache stores results in sRGB only; omit --as-stored and --keep-profile.")
    }
    if decode, !pixels.changesPixels {
      throw ValidationError(
        "--decode requires --thumbnail, --max-pixels or --transform.")
    }
    if pixels.strict, !decode {
      throw ValidationError("--strict checks pixels; it requires --decode.")
    }
    if !decode, pixels.changesPixels {
      throw ValidationError("Pixel options need --decode.")
    }
    switch requests.cachePolicy {
    case .http, .ignoreHTTPFreshness, .reload, .staleWhileRevalidate: break
    case .cacheOnly: throw ValidationError("--cache-policy cache-only loads nothing.")
    case .loaderOnly: throw ValidationError("--cache-policy loader-only stores nothing.")
    }
  }

  func run() async throws {
    let report = PrefetchReport(json: json, quiet: quiet)
    var lines: LineReader
    do {
      lines = try LineReader(list)
    } catch {
      Failure(source: list, error: error).report(asJSON: json)
      throw ExitCode(1)
    }
    var configuration = ImagePipeline.Configuration(
      loader: loading.loader(concurrency: concurrency, partials: cache.partials), memoryCache: nil,
      diskCache: DiskCache(cache.configuration), decodeLimits: loading.decodeLimits)
    configuration.limits = loading.limits(concurrency: concurrency)
    configuration.decoding = coders.decoding
    let pipeline = ImagePipeline(configuration)
    let prefetcher = Prefetcher(
      pipeline, destination: decode ? .memory : .disk, concurrency: concurrency,
      priority: requests.priority ?? .low)
    let rendering = Rendering(pixels: pixels, pipeline: pipeline, coders: coders)
    let repeated = RepeatedLines()
    await report.display.show {
      // A window of `concurrency` children: a line is read when there is room for one more.
      await withTaskGroup(of: Void.self) { group in
        var running = 0
        do {
          while let line = try await lines.next() {
            report.begin(line)
            while repeated.isFull, running > 0 {
              await group.next()
              running -= 1
            }
            switch repeated.begin(line) {
            case .waits: continue
            case .known(nil): report.ended(line, .skipped)
            case .known(let error?): report.failed(line, error)
            case .first:
              if running >= concurrency { await group.next() } else { running += 1 }
              group.addTask { await prefetch(line, by: prefetcher, rendering, repeated, report) }
            }
          }
          report.listHasEnded()
        } catch {
          if !(error is CancellationError) { report.failed(list, error) }
        }
      }
    }
    await pipeline.flush()
    report.close()
    try Task.checkCancellation()
    if report.hasFailed { throw ExitCode(1) }
  }

  /// Processes one line from beginning to end; its failure does not affect the others.
  private func prefetch(
    _ line: LineReader.Line, by prefetcher: Prefetcher, _ rendering: Rendering, _ repeated: RepeatedLines,
    _ report: PrefetchReport
  ) async {
    do {
      let request = try request(for: line, rendering)
      let prefetch = prefetcher.prefetch(CollectionOfOne(request))
      var outcome = Prefetch.Outcome.cancelled
      for await progress in prefetch { outcome = progress.latest?.outcome ?? outcome }
      if case .failed(let error) = outcome { throw error }
      if case .cancelled = outcome { throw CancellationError() }
      report.ended(line, outcome)
      for line in repeated.end(line, nil) { report.ended(line, .skipped) }
    } catch {
      report.failed(line, error)
      for line in repeated.end(line, error) { report.failed(line, error) }
    }
  }

  private func request(
    for line: LineReader.Line, _ rendering: Rendering
  ) throws(CommandError) -> ImageRequest {
    if line.isTooLong { throw .lineTooLong(limit: LineReader.limit) }
    guard line.text.contains("://"), let source = Source(argument: line.text) else {
      throw .malformedURL(line.text)
    }
    guard ["http", "https"].contains(source.scheme ?? "http") else { throw .notRemote }
    guard try source.url.host()?.isEmpty == false else { throw .malformedURL(line.text) }
    let request = requests.applied(to: try rendering.request(for: source))
    return try loading.applied(to: request, for: source)
  }
}
