import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

struct CacheImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Stores the records of a tar archive in the cache.",
    discussion: """
      The archive is one of cache export, as it is or packed again; its names have the form v2/xx/… A tar of the folder itself \
      lacks the bytes of records that share them. \
      Each record is verified, and refused if anything is wrong with it; the exit status is then 1. Of two records of a key, the \
      one that was stored last stays. Expired records are left out. Nothing is evicted: records that do not fit within the \
      limits are left out, and the exit status is 1.

      An archive decides which images get returns for a URL. Import only archives of people whom you trust.
      """)

  @Argument(help: ArgumentHelp("The archive to read, or - for standard input.", valueName: "file|-"))
  var file: String
  @OptionGroup var cache: CacheOptions
  @Flag(help: "One JSON object a line: refused entries, and the totals.")
  var json = false
  @Flag(help: "No progress on standard error.")
  var quiet = false

  private struct Report: Encodable {
    let path: String
    var imported = 0
    var bytes = 0
    /// Records that the cache has already, or newer ones of.
    var known = 0
    var expired = 0
    /// Records without room in the cache.
    var omitted = 0
    var refused = 0
  }

  /// The most refused entries; then the import ends.
  private static let maxRefused = 1000
  /// The most bytes of a record: a body at the limit of the loader, and its metadata.
  private static let maxBytes = DecodeLimits.default.maxBytes + (256 << 10)
  /// Returns whether a file in the folder of a cache is not a record, and not meant to be one.
  private static func isOther(_ name: String) -> Bool {
    ["CACHEDIR.TAG", "v2/index", "v2/journal", "v2/lock"].contains(name)
      || ["v2/tmp/", "partial/"].contains { name.hasPrefix($0) }
  }

  func run() async throws {
    var report = Report(path: cache.configuration.folder.path)
    let display = ProgressDisplay(total: nil, isWanted: !quiet)
    var failure: (any Error)?
    do {
      try await read(&report, display)
    } catch let damage as TarDamage {
      failure = CommandError.damagedArchive(reason: damage.reason)
    } catch {
      try Task.checkCancellation()
      failure = error
    }
    display.close()
    if let failure { Failure(source: file, error: failure).report(asJSON: json) }
    if report.omitted > 0 {
      Failure(source: file, error: CommandError.cacheFull(records: report.omitted)).report(asJSON: json)
    }
    tell(report)
    if failure != nil || report.omitted > 0 || report.refused > 0 { throw ExitCode(1) }
  }

  private func read(_ report: inout Report, _ display: ProgressDisplay) async throws {
    let records = DiskCache(cache.configuration)
    var reader = try TarReader(file)
    // At most as many as the cache may hold, because nothing is evicted.
    var names: Set<String> = []
    var count = 0
    while let entry = try await reader.next() {
      try Task.checkCancellation()
      let name = entry.name.hasPrefix("./") ? String(entry.name.dropFirst(2)) : entry.name
      if entry.kind == .folder || Self.isOther(name) || records.isPayloadName(name) { continue }
      var outcome = refusal(of: entry, name, among: names, records)
      if outcome == nil {
        let bytes = try await reader.contents(entry.size)
        outcome = try await records.importRecord(bytes, named: name, accessed: entry.modified)
      }
      switch outcome {
      case .stored:
        report.imported += 1
        report.bytes += entry.size
        names.insert(name)
      case .superseded:
        report.known += 1
        names.insert(name)
      case .expired: report.expired += 1
      case .noRoom: report.omitted += 1
      case .refused(let reason):
        report.refused += 1
        display.above {
          Failure(source: entry.name, error: CommandError.refusedEntry(reason: reason)).report(asJSON: json)
        }
        if report.refused == Self.maxRefused { throw TarDamage("\(Self.maxRefused) entries are refused") }
      case nil: break
      }
      count += 1
      display.update(done: count, bytes: report.bytes, label: file)
    }
    try await records.flush()
  }

  /// Returns the reason to refuse an entry before its contents are read.
  private func refusal(
    of entry: TarEntry, _ name: String, among names: Set<String>, _ records: DiskCache
  ) -> DiskCache.ImportOutcome? {
    if case .other(let noun) = entry.kind { return .refused(reason: "it is \(noun), not a plain file") }
    if names.contains(name) { return .refused(reason: "the archive has it twice") }
    let limit = min(Self.maxBytes, records.importByteLimit)
    if entry.size > limit {
      return .refused(reason: "it has \(entry.size) bytes, and a record at most \(limit)")
    }
    return records.isRecordName(name) ? nil : .refused(reason: "its name is not that of a record")
  }

  private func tell(_ report: Report) {
    if json { return Output.json(report) }
    guard !quiet else { return }
    var text = "imported \(Formatting.count(report.imported, "record")), \(Formatting.bytes(report.bytes))"
    let rest = [
      (report.known, "known already"), (report.expired, "expired"), (report.omitted, "without room"),
      (report.refused, "refused"),
    ]
    for (count, words) in rest where count > 0 { text += ", \(count) \(words)" }
    Output.line(text + ", into \(report.path)")
  }
}
