import ArgumentParser
import Calotype
import FoundationEssentials
import HTTPTypes

struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Loads images and writes them, or thumbnails of them, into files.",
    discussion: """
      Without pixel options an image is written as it was served. What was loaded is kept in the disk cache, \
      and so are thumbnails: the next call finds them there.
      """)

  @Argument(help: ArgumentHelp("URLs or files.", valueName: "url|file"))
  var sources: [Source]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "File to write, or folder for several. Default: the current folder.", valueName: "path"))
  var output: String = "."

  @OptionGroup(title: "Pixel options") var pixels: PixelOptions
  @OptionGroup(title: "Cache options") var cache: CacheOptions

  @Flag(help: "Use no disk cache.")
  var noCache = false

  @Option(help: "Images under way at a time.")
  var concurrency = 6

  @Option(
    name: .customLong("header"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Header field to send; may be repeated.", valueName: "name: value"))
  var headers: [HeaderArgument] = []

  @Option(help: ArgumentHelp("Seconds that one transfer may take in all.", valueName: "seconds"))
  var timeout: Double?

  @Option(help: "How often to try again after a failure that may pass.")
  var retries = 0

  @Flag(help: "One JSON object a line.")
  var json = false

  @Flag(help: "No progress and no report; errors only.")
  var quiet = false

  func validate() throws {
    guard !sources.isEmpty else { throw ValidationError("Say what to get: URLs or files.") }
    guard (1...256).contains(concurrency) else { throw ValidationError("--concurrency is 1 to 256.") }
    guard (0...20).contains(retries) else { throw ValidationError("--retries is 0 to 20.") }
    if let timeout, !(timeout > 0 && timeout <= 86_400) {
      throw ValidationError("--timeout is a number of seconds above 0.")
    }
  }

  func run() async throws {
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
    let rendering = Rendering(pixels: pixels, pipeline: ImagePipeline(configuration))
    let report = GetReport(sources: sources, json: json, quiet: quiet)
    // A window of `concurrency` children: the next starts when one ends.
    await withTaskGroup(of: Void.self) { group in
      for index in sources.indices {
        if index >= concurrency { await group.next() }
        group.addTask { await get(index, to: destinations[index], by: rendering, report: report) }
      }
    }
    await rendering.pipeline.flush()
    report.close()
    try Task.checkCancellation()
    if report.hasFailed { throw ExitCode(1) }
  }

  /// One source from beginning to end; its failure is its own.
  private func get(
    _ index: Int, to destination: Rendering.Destination, by rendering: Rendering, report: GetReport
  ) async {
    let source = sources[index]
    var attempt = 0
    while true {
      do {
        let request = try request(for: source, by: rendering)
        let result = try await rendering.render(source, to: destination, request: request) { progress in
          report.progress(index, progress)
        }
        return report.succeeded(index, result)
      } catch {
        guard attempt < retries, (error as? any CalotypeError)?.isRetryable == true, !Task.isCancelled else {
          return report.failed(index, error)
        }
        attempt += 1
        // 0.25 s, 0.5 s, 1 s … at most 8 s. A cancelled sleep is noticed by the next try.
        try? await Task.sleep(for: .milliseconds(min(8000, 250 << (attempt - 1))))
      }
    }
  }

  private func request(for source: Source, by rendering: Rendering) throws -> ImageRequest {
    var request = try rendering.request(for: source)
    for header in headers { request.headers.append(header.field) }
    if let timeout { request.timeouts.total = .seconds(timeout) }
    return request
  }

  private func prepare(_ folder: String) throws {
    do {
      try OutputFile.makeFolder(folder)
    } catch {
      for source in sources { Failure(source: source.text, error: error).report(asJSON: json) }
      throw ExitCode(1)
    }
  }

  private var configuration: ImagePipeline.Configuration {
    let curl = CurlLoader(.init(maxConcurrent: concurrency, maxConcurrentPerHost: concurrency))
    return ImagePipeline.Configuration(
      loader: LoaderGroup.standard.adding(curl), memoryCache: nil,
      diskCache: noCache ? nil : DiskCache(cache.configuration))
  }
}

/// `Name: value` on the command line.
struct HeaderArgument: ExpressibleByArgument {
  let field: HTTPField

  init?(argument: String) {
    guard let colon = argument.firstIndex(of: ":"),
      let name = HTTPField.Name(String(argument[..<colon]))
    else { return nil }
    let value = argument[argument.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    guard HTTPField.isValidValue(String(value)) else { return nil }
    field = HTTPField(name: name, value: String(value))
  }
}
