import ArgumentParser
import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

struct CacheExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes the records of the cache into a tar archive.",
    discussion: """
      The archive holds the images with their keys, tags and responses, for cache import. Only its owner may read it. A \
      damaged record is left out; the exit status is then 1.
      """)

  @Argument(help: ArgumentHelp("The archive to write, or - for standard output.", valueName: "file|-"))
  var file: String
  @OptionGroup var cache: CacheOptions
  @Flag(help: "Write to standard output even if it is a terminal.")
  var force = false
  @Flag(help: "One JSON object.")
  var json = false
  @Flag(help: "No progress on standard error.")
  var quiet = false

  private struct Report: Encodable {
    let path: String
    let output: String
    var exported = 0
    var bytes = 0
    var damaged: [String] = []
  }

  /// The piece of a record that is in memory at a time.
  private static let piece = 1 << 20

  private var writesOutput: Bool { file == StandardOutput.name }

  func validate() throws {
    if writesOutput, json { throw ValidationError("--json and - both write to standard output; omit one.") }
  }

  func run() async throws {
    if writesOutput { try StandardOutput.check(isForced: force) }
    var isDamaged = false
    try await cache.reportingFailures(asJSON: json) { isDamaged = try await export() }
    if isDamaged { throw ExitCode(1) }
  }

  /// - Returns: Whether any record was damaged.
  private func export() async throws -> Bool {
    let records = DiskCache(cache.configuration)
    guard try await records.hasFolder() else { throw CommandError.notACache }
    let display = ProgressDisplay(total: try await records.statistics().count, isWanted: !quiet)
    defer { display.close() }
    var writer = try await TarWriter(file)
    var report = Report(path: cache.configuration.folder.path, output: file)
    try await records.archive { record in
      try Task.checkCancellation()
      switch record {
      case .damaged(let path): report.damaged.append(path)
      case .intact(let record):
        try await writer.begin(
          TarHeader(file: record.name, size: record.byteCount, modified: record.accessed))
        var offset = 0
        while offset < record.byteCount {
          let count = min(Self.piece, record.byteCount - offset)
          let bytes = try await records.bytes(of: record, at: offset, count: count)
          guard bytes.count == count else {
            throw CommandError.unwritableOutput(path: file, reason: "a record was changed meanwhile")
          }
          try await writer.write(bytes)
          offset += count
        }
        try await writer.pad()
        report.exported += 1
        report.bytes += record.byteCount
      }
      display.update(done: report.exported + report.damaged.count, bytes: report.bytes, label: file)
    }
    try await writer.end()
    display.close()
    tell(report)
    return !report.damaged.isEmpty
  }

  private func tell(_ report: Report) {
    if json { return Output.json(report) }
    for damaged in report.damaged { Output.error("calotype: \(damaged): damaged, not exported") }
    guard !writesOutput, !quiet else { return }
    Output.line(
      "exported \(Formatting.count(report.exported, "record")), \(Formatting.bytes(report.bytes)), from \(report.path)"
        + " to \(file)")
  }
}
