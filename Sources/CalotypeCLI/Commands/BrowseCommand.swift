import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials
import Glibc
import CalotypeTerminal

struct BrowseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Shows the images of a list as a table in the terminal, to scroll through.",
    discussion: """
      The list has one URL or path a line; blank lines, and lines that begin with #, are skipped. It is read as it arrives: \
      calotype browse - shows the first image as soon as another program has written its line.

      Images in the window are loaded, the next ones are prefetched, and loads of images that have left the window are \
      cancelled. Keys: up and down (k, j), page up and down (b, space), home and end (g, G), ^L redraws, q quits.
      """)

  @Argument(help: ArgumentHelp("The file with the list, or - for standard input.", valueName: "list|-"))
  var list: String

  @OptionGroup(title: "Display options") var graphics: GraphicsOptions

  @Option(help: ArgumentHelp("Width of an image in columns.", valueName: "cells"))
  var width = 24

  @Option(
    help: ArgumentHelp(
      "Height of an image in lines. Default: three quarters of its width.", valueName: "cells"))
  var height: Int?

  @Option(help: ArgumentHelp("Windows of images to prefetch; 0 for none.", valueName: "n"))
  var ahead = 1

  @Option(help: ArgumentHelp("Memory for decoded images: 500K, 64M …", valueName: "bytes"))
  var memory = ByteCount(64_000_000)

  @Option(help: "Images to load at a time.")
  var concurrency = 6

  @Flag(help: "Show nothing before an image is complete.")
  var noPreviews = false

  @OptionGroup(title: "Request options") var requests: RequestOptions
  @OptionGroup(title: "Loading options") var loading: LoadingOptions
  @OptionGroup(title: "Cache options") var cache: CacheOptions

  @Flag(help: "Do not use the disk cache.")
  var noCache = false

  func validate() throws {
    for (name, value) in [("width", width), ("height", height ?? 1)] {
      guard (1...1000).contains(value) else { throw ValidationError("--\(name) is 1 to 1000 cells.") }
    }
    guard (0...100).contains(ahead) else { throw ValidationError("--ahead is 0 to 100.") }
    guard (1...256).contains(concurrency) else { throw ValidationError("--concurrency is 1 to 256.") }
    if noCache, requests.cachePolicy == .cacheOnly {
      throw ValidationError("--no-cache and --cache-policy cache-only exclude each other.")
    }
  }

  func run() async throws {
    let output = STDOUT_FILENO
    try graphics.check(output, named: "Standard output")
    guard let input = TerminalInput(of: output) else {
      throw ValidationError("Keys cannot be read: the command is not in the foreground of its terminal.")
    }
    do {
      if try await browse(input, output) == .empty { Output.error("calotype: \(list) names no images") }
    } catch let error as any CalotypeError {
      Failure(source: list, error: error).report(asJSON: false)
      throw ExitCode(1)
    }
  }

  private func browse(_ input: TerminalInput, _ output: Int32) async throws -> Browser.Ending {
    let lines = try LineReader(list)
    guard !lines.isTerminal else {
      throw ValidationError("The list cannot be typed, because the keys scroll; give a file or a pipe.")
    }
    let (keys, changes, wake) = try readers(input)
    defer { close(wake) }
    let terminal = try await graphics.terminal(on: output)
    TerminalGuard.enter(.browsing(wake: wake), input: input.descriptor, output: output)
    defer { TerminalGuard.leave() }
    let pipeline = ImagePipeline(configuration)
    var browser = Browser(
      terminal, cell: (width, rows(terminal)), pages: ahead, pipeline: pipeline,
      requesting: requesting(terminal))
    let ending = await Result(catching: {
      try await browser.run(
        list: lines, as: { BrowseItem(text: $0.text, isTooLong: $0.isTooLong) }, keys: keys, changes: changes)
    })
    await browser.leave()
    await pipeline.flush()
    return try ending.get()
  }

  private func readers(
    _ input: TerminalInput
  ) throws(TerminalError) -> (keys: DescriptorReader, changes: DescriptorReader, wake: Int32) {
    do {
      let wake = try DescriptorReader.makePipe()
      return (
        try DescriptorReader(input.descriptor, name: "calotype-keys"),
        try DescriptorReader(wake.read, closes: true, name: "calotype-window"), wake.write
      )
    } catch {
      throw .unwritable(reason: error.reason)
    }
  }

  private func rows(_ terminal: GraphicsTerminal) -> Int {
    let cell = terminal.encoder.cell
    return height ?? max(1, Int((Double(width) * cell.width / cell.height * 0.75).rounded()))
  }

  private func requesting(_ terminal: GraphicsTerminal) -> Browser.Requesting {
    let box = PictureFit.decodeBox(columns: width, rows: rows(terminal), cell: terminal.encoder.metrics)
    return { item in
      let source = try item.source()
      if loading.publicOnly, source.isFile { throw CommandError.refusedFile(source.text) }
      var request = requests.applied(to: ImageRequest(url: try source.url))
      request = try loading.applied(to: request, for: source)
      request.thumbnail = .fit(width: box.width, height: box.height)
      // Every window has another size: only originals are worth storing on disk.
      request.storeTiers = [.memory, .originals]
      if !noPreviews { request.previews = .interval(.milliseconds(250)) }
      return request
    }
  }

  private var configuration: ImagePipeline.Configuration {
    var configuration = ImagePipeline.Configuration(
      loader: loading.loader(concurrency: concurrency, partials: noCache ? nil : cache.partials),
      memoryCache: MemoryCache(byteLimit: memory.value),
      diskCache: noCache ? nil : DiskCache(cache.configuration), decodeLimits: loading.decodeLimits)
    configuration.limits = loading.limits(concurrency: concurrency)
    configuration.decoding = CoderOptions.decoding()
    return configuration
  }
}
