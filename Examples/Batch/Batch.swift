import ArgumentParser
import Calotype
import Dispatch
import FoundationEssentials
import Glibc

/// Thumbnails of all images of a folder: `swift run Batch photos thumbnails --size 320x240`.
///
/// Exit status: 0 when all were made, 1 when some failed, 130 after ^C.
@main
struct Batch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Batch", abstract: "Writes thumbnails of all images of a folder into another folder.")

  @Argument(help: "The folder with the images.")
  var folder: String
  @Argument(help: "The folder for the thumbnails.")
  var output: String
  @Option(help: ArgumentHelp("The box to fit thumbnails into, in pixels.", valueName: "WxH"))
  var size = Box(width: 320, height: 240)
  @Option(help: "The quality of the WebP thumbnails, from 0 to 100.")
  var quality = 80
  @Option(help: "The number of images at a time; by default one for each processor.")
  var concurrency = ProcessInfo.processInfo.activeProcessorCount
  @Flag(help: "One JSON object for each image, then one for all, on standard output.")
  var json = false

  func validate() throws {
    guard (0...100).contains(quality) else { throw ValidationError("--quality is 0 to 100") }
    guard (1...256).contains(concurrency) else { throw ValidationError("--concurrency is 1 to 256") }
  }

  func run() async throws {
    let maker = ThumbnailMaker(
      output: URL(filePath: output, directoryHint: .isDirectory), size: size, quality: quality)
    let files = try maker.images(in: URL(filePath: folder, directoryHint: .isDirectory))
    let work = Task { [concurrency, json] in
      let report = BatchReport(
        count: files.count, byteCount: files.reduce(0) { $0 + $1.byteCount }, json: json)
      await maker.makeAll(files, concurrency: concurrency) { report.add($0) }
      return report.finish()
    }
    // ^C cancels the work instead of ending the process: decodes stop, and the report is written.
    signal(SIGINT, SIG_IGN)
    let interrupt = DispatchSource.makeSignalSource(signal: SIGINT)
    interrupt.setEventHandler { work.cancel() }
    interrupt.activate()
    let hasFailures = await work.value
    interrupt.cancel()
    if work.isCancelled { throw ExitCode(130) }
    if hasFailures { throw ExitCode(1) }
  }
}

/// A box as a command line writes it: `320x240`.
struct Box: ExpressibleByArgument {
  let width: Int
  let height: Int

  init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  init?(argument: String) {
    let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1], (1...16_384).contains(width),
      (1...16_384).contains(height)
    else { return nil }
    self.init(width: width, height: height)
  }

  var defaultValueDescription: String { "\(width)x\(height)" }
}
