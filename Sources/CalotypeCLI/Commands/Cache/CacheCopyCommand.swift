import ArgumentParser
import Calotype
import CalotypeLoading
import CalotypeSupport
import CalotypeTerminal
import CalotypeTiers
import FoundationEssentials

struct CacheCopyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copies records between the folders of disk caches and buckets.",
    discussion: """
      FROM and TO are folders, or s3://bucket/prefix of any S3-compatible server (s3://bucket stands for the prefix calotype, \
      s3://bucket/ for none); keys come from the environment (AWS_ACCESS_KEY_ID …), the shared file of the AWS command line, the \
      container or the instance.

      Each record is verified before it is stored, and keeps its key, tags, lifetime, response, times and position in the log of \
      purges. A record that TO has already, or a newer one of, stays: run the command again to continue after ^C. Expired records are left \
      out, and so are those that machines may not share (private ones, no-store) where TO is a bucket. Nothing is evicted from a \
      folder. A selection is that of cache clear. Exit status 1 if any record was damaged, failed, or had no room.
      """)

  /// The part of a bucket.
  enum Part: String, ExpressibleByArgument, CaseIterable {
    case originals, results
  }

  @Argument(help: ArgumentHelp("The folder or s3:// URL to read.", valueName: "from"))
  var from: String
  @Argument(help: ArgumentHelp("The folder or s3:// URL to write.", valueName: "to"))
  var to: String
  @OptionGroup var buckets: BucketOptions
  @Option(
    help:
      "Part of buckets: that of the cache with originals, or of the one with results. Default: originals, or results for the namespace results."
  )
  var part: Part?
  @Option(
    help: ArgumentHelp(
      "Namespace of folders; a server has sources, of originals, and results.", valueName: "name"))
  var namespace: String?
  @Option(
    help: ArgumentHelp("Maximum size of a folder to write, such as 20G. Default: 1G.", valueName: "size"))
  var maxBytes: ByteCount?
  @Option(help: ArgumentHelp("Only records of this URL; may be repeated.", valueName: "url"))
  var source: [String] = []
  @Option(help: ArgumentHelp("Only records of URLs with this prefix; may be repeated.", valueName: "text"))
  var prefix: [String] = []
  @Option(help: ArgumentHelp("Only records with this tag; may be repeated.", valueName: "name"))
  var tag: [String] = []
  @Option(help: "Number of records at a time.")
  var transfers = 8
  @Flag(help: "Store nothing; tell what would be copied.")
  var dryRun = false
  @Flag(help: "One JSON object a line: failures, and the totals.")
  var json = false
  @Flag(help: "No progress on standard error.")
  var quiet = false

  /// The part of buckets: that of the namespace if none is given.
  private var folder: Bucket.Folder {
    (part ?? (namespace == "results" ? .results : .originals)) == .originals ? .originals : .results
  }

  func validate() throws {
    guard (1...16).contains(transfers) else { throw ValidationError("--transfers is 1 to 16.") }
    for place in [from, to] {
      if place.hasPrefix(BucketOptions.scheme) {
        _ = try buckets.bucket(place)
      } else if place.contains("://") {
        throw ValidationError("Records are copied between folders and s3:// URLs.")
      }
    }
    if from == to { throw ValidationError("FROM and TO are the same.") }
  }

  func run() async throws {
    let report = CopyReport(from: from, to: to, isDryRun: dryRun, json: json, quiet: quiet)
    do {
      try await copy(report)
    } catch {
      report.end()
      try Task.checkCancellation()
      Failure(source: from, error: error).report(asJSON: json)
      throw ExitCode(1)
    }
    report.end()
    if report.isEmpty { await tellNamespaces() }
    if report.hasFailed { throw ExitCode(1) }
  }

  private func copy(_ report: CopyReport) async throws {
    let reading = try await tier(from, isRead: true)
    let writing = try await tier(to, isRead: false)
    report.begin()
    let selections =
      source.map { CacheSelection.source(RedactedURL.withoutUsers($0, isOne: true)) }
      + prefix.map { .sourcePrefix(RedactedURL.withoutUsers($0, isOne: true)) } + tag.map { .tag($0) }
    let copy = RecordCopy(
      from: reading, to: writing, selections: selections, isDryRun: dryRun, transfers: transfers)
    try await copy.run { report.add($0) }
    try await writing.close()
    try await reading.close()
  }

  /// Tells the namespaces with records of a folder that has none outside of them.
  private func tellNamespaces() async {
    guard namespace == nil, !from.hasPrefix(BucketOptions.scheme) else { return }
    let names = await UsedNamespaces.names(in: URL(filePath: from, directoryHint: .isDirectory))
    guard let last = names.last else { return }
    Output.error(
      "calotype: \(from) has no records in the default namespace, but in \(names.joined(separator: ", ")): add --namespace \(last)"
    )
  }

  private func tier(_ place: String, isRead: Bool) async throws -> any RecordTier {
    if place.hasPrefix(BucketOptions.scheme) {
      return BucketTier(
        try buckets.bucket(place), credentials: .standard, folder: folder, connections: buckets.connections)
    }
    var configuration = DiskCache.Configuration(
      folder: URL(filePath: place, directoryHint: .isDirectory), namespace: namespace)
    if let maxBytes, !isRead { configuration.byteLimit = maxBytes.value }
    let cache = DiskCache(configuration)
    if isRead, try await !cache.hasFolder() { throw CommandError.notACache }
    return FolderTier(cache)
  }
}
