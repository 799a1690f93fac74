import ArgumentParser
import CalotypeTerminal
import CalotypeURLs
import FoundationEssentials

struct ImageURLParseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse",
    abstract:
      "Prints the options of URLs in order with their meanings, the source, and whether the signature is valid.",
    discussion: "Without keys, signatures are not checked.")

  @OptionGroup var dialect: ImageURLOptions

  @Flag(help: "One JSON object a line.")
  var json = false

  @Argument(help: "URLs, or their paths.")
  var urls: [String]

  func run() throws {
    let dialect = try dialect.dialect(needsKeys: false)
    var failed = false
    for url in urls {
      let reading = ImageURLReading(url, dialect, at: Int64(Date.now.timeIntervalSince1970.rounded(.down)))
      failed = failed || reading.fault != nil
      if json { Output.json(reading) } else { reading.lines.forEach(Output.line) }
    }
    if failed { throw ExitCode(1) }
  }
}
