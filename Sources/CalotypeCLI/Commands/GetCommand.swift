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
      the next call finds them. An interrupted download is resumed, if necessary by the next call. A source that is named \
      twice is loaded once.

      An image whose freshness has ended is asked for with its entity tag or date, and not transferred again if it has not \
      changed; --revalidate asks for all of them. A file that already has the same contents is left as it is, and reported \
      as unchanged.

      If --output names a file that is a link or a pipe, it is written to. In a folder, where names are derived from URLs, \
      existing files are replaced. With --output - the image goes to standard output.
      """)

  @Argument(help: ArgumentHelp("URLs or files.", valueName: "url|file"))
  var runs: [ConsecutiveSources]
  private var sources: [Source] { runs.flatMap(\.sources) }

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "File to write, folder for several files, or - for standard output. Default: the current folder.",
      valueName: "path"))
  var output: String = "."

  @Flag(help: "Write to standard output even if it is a terminal.")
  var force = false

  @OptionGroup(title: "Pixel options") var pixels: PixelOptions
  @OptionGroup(title: "Pixel options") var accept: AcceptOptions
  @OptionGroup(title: "Decoding options") var coders: CoderOptions
  @OptionGroup(title: "Request options") var requests: RequestOptions
  @OptionGroup(title: "Loading options") var loading: LoadingOptions
  @OptionGroup(title: "Cache options") var cache: CacheOptions

  @Flag(help: "Do not use the disk cache.")
  var noCache = false

  @Flag(help: "Ask the server whether cached images have changed, even fresh ones.")
  var revalidate = false

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

  @Flag(
    help: ArgumentHelp(
      "Load nothing; tell the way to each image: keys, caches and their answers, and the cost of decoding it.",
      discussion: "Caches are asked as they are, without what other sources of the call would have put there."
    ))
  var explain = false

  func validate() throws {
    guard !runs.isEmpty else { throw ValidationError("Specify the images to get: URLs or files.") }
    guard (1...256).contains(concurrency) else { throw ValidationError("--concurrency is 1 to 256.") }
    if events, !json { throw ValidationError("--events are lines of JSON; add --json.") }
    if noCache, requests.cachePolicy == .cacheOnly {
      throw ValidationError("--no-cache and --cache-policy cache-only exclude each other.")
    }
    if revalidate, noCache || requests.cachePolicy != .http {
      throw ValidationError("--revalidate excludes --no-cache and other cache policies than http.")
    }
    try checkOutput(of: sources.count)
  }

  private func checkOutput(of count: Int) throws {
    if writesOutput {
      guard count == 1 else { throw ValidationError("Standard output takes one image, not \(count).") }
      if json { throw ValidationError("--json and --output - both write to standard output; omit one.") }
    } else if count > 1, !output.hasSuffix("/"), !OutputFile.isFolder(output),
      OutputFormat(fileName: output) != nil || OutputFile.isOccupied(output)
    {
      throw ValidationError(
        "\(output) is one file, and there are \(count) images; name a folder. \(output)/ makes one of that name."
      )
    }
    if count == 1, !writesOutput, !output.hasSuffix("/"), !OutputFile.isFolder(output) {
      try accept.check(with: pixels, output: output)
    } else {
      try accept.check(with: pixels, output: "")
    }
  }

  private var writesOutput: Bool { output == StandardOutput.name }

  func run() async throws {
    if explain { return try await tellTheWay() }
    if writesOutput { try StandardOutput.check(isForced: force) }
    let sources = sources
    let destinations = try destinations(of: sources)
    let groups = Source.groups(sources)
    let rendering = rendering
    let report = GetReport(
      sources: sources, json: json, events: events, quiet: quiet, writesOutput: writesOutput)
    await report.display.show {
      // A window of `concurrency` children: the next starts when one ends.
      await withTaskGroup(of: Void.self) { group in
        for (number, indices) in groups.enumerated() {
          if number >= concurrency { await group.next() }
          group.addTask {
            await get(
              sources[indices[0]], indices, to: indices.map { destinations[$0] }, by: rendering,
              report: report)
          }
        }
      }
    }
    await rendering.pipeline.flush()
    report.close()
    try Task.checkCancellation()
    if report.hasFailed { throw ExitCode(1) }
  }

  private var rendering: Rendering {
    Rendering(
      pixels: pixels, pipeline: ImagePipeline(configuration), coders: coders, sources: sources,
      accept: accept, keepsUnchanged: true)
  }

  /// Explains the requests.
  private func tellTheWay() async throws {
    let rendering = rendering
    var hasFailed = false
    for source in sources {
      do {
        let explanation = await rendering.pipeline.explain(try request(for: source, by: rendering))
        if json {
          Output.json(explanation)
        } else {
          for line in explanation.description.split(separator: "\n") { Output.line(String(line)) }
        }
      } catch {
        hasFailed = true
        Failure(source: source.shown, error: error).report(asJSON: json)
      }
      try Task.checkCancellation()
    }
    if hasFailed { throw ExitCode(1) }
  }

  private func request(for source: Source, by rendering: Rendering) throws -> ImageRequest {
    var request = requests.applied(to: try rendering.request(for: source))
    request = try loading.applied(to: request, for: source)
    if let expect { request.expectedKind = expect }
    if events { request.previews = .everyPass }
    if revalidate { request.headers[.cacheControl] = "no-cache" }
    // An image is in progress until it is stored; otherwise a slow disk would let images pile up in memory.
    if !noCache { request.storeDurability = .stored }
    return request
  }

  private func destinations(of sources: [Source]) throws -> [Rendering.Destination] {
    if writesOutput { return [.standardOutput] }
    guard sources.count > 1 || output.hasSuffix("/") || OutputFile.isFolder(output) else {
      return [accept.choosesFormat(with: pixels) ? .fileWithoutExtension(output) : .file(output)]
    }
    var folder = output
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    try prepare(folder)
    return Source.uniqueStems(sources).map { .folder(folder, stem: $0) }
  }

  /// Processes one source from beginning to end; its failure does not affect the others.
  ///
  /// - Parameters:
  ///   - indices: The places of the source on the command line.
  ///   - destinations: A destination for each of them.
  private func get(
    _ source: Source, _ indices: [Int], to destinations: [Rendering.Destination], by rendering: Rendering,
    report: GetReport
  ) async {
    let watches = indices.compactMap { report.begin($0) }
    do {
      let request = try request(for: source, by: rendering)
      let results = try await rendering.render(
        source, to: destinations, request: request,
        watch: watches.isEmpty ? nil : { event in for watch in watches { watch(event) } })
      for (index, result) in zip(indices, results) {
        switch result {
        case .success(let result): report.succeeded(index, result)
        case .failure(let error): report.failed(index, error)
        }
      }
    } catch {
      for index in indices { report.failed(index, error) }
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
    configuration.decoding = coders.decoding
    return configuration
  }
}
