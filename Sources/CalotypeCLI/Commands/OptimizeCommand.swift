import ArgumentParser
import Calotype
import CalotypeSupport
import CalotypeTerminal
import FoundationEssentials

struct OptimizeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "optimize",
    abstract: "Makes image files smaller in place, without changing a pixel unless --lossy is given.",
    discussion: """
      JPEG, PNG, lossless WebP and GIF are compressed anew; metadata stays. All other files are left alone, and so is a file that \
      would not get smaller. With --lossy, JPEG gets a lower quality, PNG a palette, and pixels of GIF repeat earlier ones, as \
      far as the picture measures as --quality says and the file becomes a tenth smaller than without; each further call may \
      change it again. Each result is decoded and compared before it replaces the file, at once: at any moment, \
      also when the call is killed, the file has its old contents or its new ones. The file keeps its owner, permissions and extended \
      attributes, and gets a new modification time, so that backups notice, unless --keep-time is given.

      A link that is an argument stands for its file; links in folders are left alone, and so are files with several names \
      (hard links). Temporary files that a killed call has left behind in the folders of the files are removed.
      """)

  @Argument(help: ArgumentHelp("Files, and folders with --recursive.", valueName: "file"))
  var files: [String]

  @Flag(name: .shortAndLong, help: "Search folders for png, jpg, webp and gif files.")
  var recursive = false

  @Flag(help: "Change nothing; tell which files would get smaller.")
  var dryRun = false

  @Flag(help: "Keep the modification times.")
  var keepTime = false

  @Option(help: "The effort to spend: fast, balanced or small.")
  var effort: EncodeOptions.Effort = .small

  @Flag(help: "Allow pixels of jpeg, png and gif to change, as far as --quality says.")
  var lossy = false

  @Option(
    help: ArgumentHelp(
      "The measured quality of --lossy, compared with the file: ssim2:80 (score of SSIMULACRA2, the default), dssim:0.01.",
      valueName: "measure"))
  var quality: QualityArgument?

  @Option(help: "Files to process at a time. Default: the number of processors.")
  var concurrency: Int?

  @Flag(help: "One JSON object a line.")
  var json = false

  @Flag(help: "Print no progress and no report, only errors.")
  var quiet = false

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Specify the files to optimize.") }
    if let concurrency {
      guard (1...256).contains(concurrency) else { throw ValidationError("--concurrency is 1 to 256.") }
    }
    if quality != nil, !lossy { throw ValidationError("--quality needs --lossy.") }
    if case .refused(let reason) = quality { throw ValidationError("--quality: \(reason).") }
    if case .fixed(let quality) = quality {
      throw ValidationError("--quality is a measure such as ssim2:80, not \(quality).")
    }
  }

  func run() async throws {
    let list = FileList(files, isRecursive: recursive)
    let report = OptimizeReport(
      count: list.paths.count + list.failures.count, json: json, quiet: quiet, isDryRun: dryRun)
    let threads = concurrency ?? ProcessInfo.processInfo.activeProcessorCount
    let workers = WorkerExecutor(name: "calotype-optimize", threads: threads)
    if !dryRun {
      for folder in InPlaceFile.folders(of: list.paths) { InPlaceFile.removeAbandoned(in: folder) }
    }
    await report.display.show {
      for failure in list.failures { report.failed(failure.path, failure.error) }
      await withTaskGroup(of: Void.self) { group in
        for (number, path) in list.paths.enumerated() {
          if number >= threads { await group.next() }
          if Task.isCancelled { break }
          group.addTask { await optimize(path, on: workers, report) }
        }
      }
    }
    report.close()
    try Task.checkCancellation()
    if report.hasFailed { throw ExitCode(1) }
  }

  /// The quality that files have at least if their pixels may change.
  private var target: QualityTarget? {
    guard lossy else { return nil }
    if case .target(let target) = quality { return target }
    return .target(.ssimulacra2(80))
  }

  private func optimize(_ path: String, on workers: WorkerExecutor, _ report: OptimizeReport) async {
    do {
      let (bytes, sourceBytes) = try await workers.run { [effort, target, dryRun, keepTime] in
        let file = try InPlaceFile(path, byteLimit: DecodeLimits.default.maxBytes)
        var optimizer = ImageOptimizer()
        optimizer.effort = effort
        optimizer.target = target
        guard let made = try optimizer.optimized(file.contents) else {
          return (file.contents.count, file.contents.count)
        }
        if !dryRun { try file.replace(by: made, keepsTime: keepTime) }
        return (made.count, file.contents.count)
      }
      report.ended(path, bytes: bytes, sourceBytes: sourceBytes)
    } catch CommandError.untouchedFile(_, let reason) {
      report.skipped(path, reason)
    } catch {
      report.failed(path, error)
    }
  }
}
