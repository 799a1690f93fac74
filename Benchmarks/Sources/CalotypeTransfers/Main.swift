/// What the benchmarks of loading start: the library and nothing else, so that a run from start to end is about loading.
///
///     calotype-transfers --transfers N --concurrency K --bytes B [--stream | --to FOLDER] [--ca FILE] URL
///     calotype-transfers --peak ADDRESS FOLDER
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "--peak", arguments.count == 3 {
      print(try await DownloadPeak(address: arguments[2], folder: arguments[3]).measure())
    } else {
      try await TransferRun(arguments).run()
    }
  }
}
