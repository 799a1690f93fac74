import ArgumentParser
import Calotype
import CalotypeTerminal
import FoundationEssentials

struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Loads images and writes them, or thumbnails of them, to files.",
    discussion: """
      Without pixel options an image is written as it was served. Originals and thumbnails are stored in the disk cache, where \
      the next call finds them. An interrupted download is resumed, if necessary by the next call.

      If --output names a file that is a link or a pipe, it is written to. In a folder, where names are derived from URLs, \
      existing files are replaced.
      """)

  @Argument(help: ArgumentHelp("URLs or files.", valueName: "url|file"))
  var runs: [ConsecutiveSources]
  private var sources: [Source] { runs.flatMap(\.sources) }

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "File to write, or folder for several files. Default: the current folder.", valueName: "path"))
  var output: String = "."

  @OptionGroup(title: "Pixel options") var pixels: PixelOptions
  @OptionGroup(title: "Decoding options") var coders: CoderOptions
  @OptionGroup(title: "Request options") var requests: RequestOptions
  @OptionGroup(title: "Loading options") var loading: LoadingOptions
  @OptionGroup(title: "Cache options") var cache: CacheOptions

  @Flag(help: "Do not use the disk cache.")
  var noCache = false

  @Option(help: "Images to process at a time.")
  var concurrency = 6

  @Flag(help: "One JSON object a line.")
  var json = false

  @Flag(help: "With --json, also write a line for each event: queued, started, progress, preview …")
  var events = false

  @Option(help: "Fail for images of the other kind: still or animated.")
  var expect: ImageResponse.Kind?

  @Flag(help: "Print no progress and no report, only errors.")
  var quiet = false

  func validate() throws {
    guard !runs.isEmpty else { throw ValidationError("Specify the images to get: URLs or files.") }
    guard (1...256).contains(concurrency) else { throw ValidationError("--concurrency is 1 to 256.") }
    if events, !json { throw ValidationError("--events are lines of JSON; add --json.") }
    if noCache, requests.cachePolicy == .cacheOnly {
      throw ValidationError("--no-cache and --cache-policy cache-only exclude each other.")
    }
  }

  func run() async throws {
    let sources = sources
    let writesFolder = sources.count > 1 || output.hasSuffix("/") || OutputFile.isFolder(output)
    let destinations: [Rendering.Destination]
    if writesFolder {
      var folder = output
      while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
      try prepare(folder)
      destinations = Source.uniqueStems(sources).map { .folder(folder, stem: $0) }
    } else {
      destinations = [.file(output)]
    }
    let rendering = Rendering(pixels: pixels, pipeline: ImagePipeline(configuration), coders: coders)
    let report = GetReport(sources: sources, json: json, events: events, quiet: quiet)
    await report.display.show {
      // A window of `concurrency` children: the next starts when one ends.
      await withTaskGroup(of: Void.self) { group in
        for index in sources.indices {
          if index >= concurrency { await group.next() }
          group.addTask {
            await get(sources[index], index, to: destinations[index], by: rendering, report: report)
          }
        }
      }
    }
    await rendering.pipeline.flush()
    report.close()
    try Task.checkCancellation()
    if report.hasFailed { throw ExitCode(1) }
  }

  /// Processes one source from beginning to end; its failure does not affect the others.
  private func get(
    _ source: Source, _ index: Int, to destination: Rendering.Destination, by rendering: Rendering,
    report: GetReport
  ) async {
    let watch = report.begin(index)
    do {
      var request = requests.applied(to: try rendering.request(for: source))
      request = try loading.applied(to: request, for: source)
      if let expect { request.expectedKind = expect }
      if events { request.previews = .everyPass }
      // An image is in progress until it is stored; otherwise a slow disk would let images pile up in
      // memory.
      if !noCache { request.storeDurability = .stored }
      let result = try await rendering.render(
        source, to: destination, request: request, watch: watch)
      report.succeeded(index, result)
    } catch {
      report.failed(index, error)
    }
  }

  private func prepare(_ folder: String) throws {
    do {
      try OutputFile.makeFolder(folder)
    } catch {
      for source in sources { Failure(source: source.shown, error: error).report(asJSON: json) }
      throw ExitCode(1)
    }
  }

  private var configuration: ImagePipeline.Configuration {
    var configuration = ImagePipeline.Configuration(
      loader: loading.loader(concurrency: concurrency, partials: noCache ? nil : cache.partials),
      memoryCache: nil, diskCache: noCache ? nil : DiskCache(cache.configuration),
      decodeLimits: loading.decodeLimits)
    configuration.limits = loading.limits(concurrency: concurrency)
    return configuration
  }
}
