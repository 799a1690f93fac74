import ArgumentParser
import Calotype
import FoundationEssentials
import CalotypeTerminal

struct CacheTrimCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trim",
    abstract: "Removes records beyond the limits, and temporary files of killed processes.",
    discussion: """
      The cache enforces its limits by itself. Use trim for smaller limits, and after files in the folder were changed by \
      other programs.
      """)

  @OptionGroup var cache: CacheOptions
  @Option(help: ArgumentHelp("Maximum size to keep, such as 500M. Default: 1G.", valueName: "size"))
  var maxBytes: ByteCount?
  @Option(
    help: ArgumentHelp("Remove records that were not used for this many days. Default: 7.", valueName: "days")
  )
  var maxAge: Double?
  @Flag(help: "One JSON object.")
  var json = false

  private struct Report: Encodable {
    let path: String
    let records: Int
    let bytes: Int
    let expired: Int
    let evicted: Int
    let freedBytes: Int
  }

  func validate() throws {
    guard maxAge.map({ $0 >= 0 && $0 <= 36_500 }) ?? true else {
      throw ValidationError("--max-age takes days, 0 to 36500")
    }
  }

  func run() async throws {
    try await cache.reportingFailures(asJSON: json) { try await trim() }
  }

  private func trim() async throws {
    var configuration = cache.configuration
    if let maxBytes { configuration.byteLimit = maxBytes.value }
    if let maxAge { configuration.maxAge = .seconds(maxAge * 86_400) }
    // Exactly the limit, not a tenth less.
    configuration.lowWatermark = 1
    let report = try await DiskCache(configuration).trim()
    let path = configuration.folder.path
    if json {
      Output.json(
        Report(
          path: path, records: report.count, bytes: report.bytes, expired: report.expired,
          evicted: report.evicted, freedBytes: report.freedBytes))
    } else {
      Output.line(
        "removed \(report.expired) too old and \(report.evicted) too many, \(Formatting.bytes(report.freedBytes));"
          + " \(Formatting.count(report.count, "record")) left, \(Formatting.bytes(report.bytes)), in \(path)"
      )
    }
  }
}
