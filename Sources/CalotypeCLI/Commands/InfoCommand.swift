import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Prints the format, size, frames, orientation and profile of images.",
    discussion: """
      Of a remote image, the first 64 KiB are loaded, or more if its header is longer. They do not tell the number of frames of \
      every animation: frames are then a lower limit, and hasAllFrames is false. --whole loads all bytes, as do all options \
      that need the pixels, and files are read as a whole. A source that is named twice is loaded once. Nothing is cached.

      Pixels are decoded only for --hash, --chunk, --strict and --facts; without the first three, isDamaged is null unless \
      the structure of the file is damaged.
      """)

  @Argument(help: ArgumentHelp("URLs or files.", valueName: "url|file"))
  var runs: [ConsecutiveSources]
  private var sources: [Source] { runs.flatMap(\.sources) }

  @OptionGroup(title: "Loading options") var loading: LoadingOptions
  @OptionGroup(title: "Decoding options") var coders: CoderOptions

  @Flag(help: "One JSON object a line.")
  var json = false

  @Flag(help: "Load each image as a whole, and count all frames.")
  var whole = false

  @Flag(
    help: ArgumentHelp(
      "Add SHA-256 hashes of the decoded pixels, one per frame.",
      discussion: "RGBA, orientation and colours as stored, fully transparent pixels as zeros."))
  var hash = false

  @Flag(
    help: ArgumentHelp(
      "Add facts about the look of the image: average and dominant colours, BlurHash, ThumbHash.",
      discussion: "They are of the first frame, upright, in sRGB."))
  var facts = false

  @Flag(help: "Hash the image upright, not as stored.")
  var upright = false

  @Flag(help: "Hash the colours converted to sRGB, not as stored.")
  var srgb = false

  @Flag(help: "Use only the first frame of an animation.")
  var firstFrame = false

  @Flag(help: "Decode the pixels and refuse damaged images.")
  var strict = false

  @Option(help: ArgumentHelp("Feed the incremental decoder this many bytes at a time.", valueName: "bytes"))
  var chunk: Int?

  func validate() throws {
    guard !runs.isEmpty else { throw ValidationError("Specify the images to inspect: URLs or files.") }
    if let chunk, chunk < 1 { throw ValidationError("--chunk is a number of bytes, at least 1.") }
  }

  /// Whether the first bytes of an image tell all that is asked for.
  private var isHeaderEnough: Bool { !whole && !hash && !facts && !strict && chunk == nil }

  func run() async throws {
    var configuration = ImagePipeline.Configuration(
      loader: loading.loader(), memoryCache: nil, diskCache: nil, decodeLimits: loading.decodeLimits)
    configuration.decoding = coders.decoding
    let pipeline = ImagePipeline(configuration)
    let workers = WorkerExecutor(name: "calotype-info", threads: 1)
    let options = InfoReport.Options(
      decodes: strict, hash: hash, facts: facts, firstFrame: firstFrame, chunk: chunk)
    let decoding = DecodeOptions(
      appliesOrientation: upright, damage: strict ? .strict : .tolerate, colors: srgb ? .sRGB : .asStored)
    var hasFailed = false
    let sources = sources
    var reports = RepeatedSources<Result<InfoReport, any Error>>(sources)
    for source in sources {
      let report = await reports.value(of: source) {
        await Result(catching: {
          let request = try loading.applied(
            to: coders.applied(to: ImageRequest(url: try source.url, decoding: decoding)), for: source)
          if isHeaderEnough, let url = request.source.url,
            ["http", "https"].contains(url.scheme?.lowercased())
          {
            return InfoReport(try await pipeline.info(for: request), from: source.shown)
          }
          return try await InfoReport(of: request, from: source.shown, options, by: pipeline, workers)
        })
      }
      switch report {
      case .success(let report):
        if json { Output.json(report) } else { report.print() }
      case .failure(let error):
        hasFailed = true
        Failure(source: source.shown, error: error).report(asJSON: json)
        try Task.checkCancellation()
      }
    }
    if hasFailed { throw ExitCode(1) }
  }
}
