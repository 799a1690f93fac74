import ArgumentParser
import CalotypeTerminal
import CalotypeURLs
import FoundationEssentials

struct ImageURLSignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Prints paths with their signature.",
    discussion: """
      calotype url sign /rs:fill:300:200/plain/https://example.com/a.jpg@webp

      A path that no server accepts gets no signature.
      """)

  @OptionGroup var dialect: ImageURLOptions

  @Flag(help: "One JSON object a line.")
  var json = false

  @Argument(help: "Paths without a signature: /options/source.")
  var paths: [String]

  func run() throws {
    let dialect = try dialect.dialect(needsKeys: true)
    var failed = false
    for path in paths {
      let signed = SignedPath(path, dialect, at: Int64(Date.now.timeIntervalSince1970.rounded(.down)))
      failed = failed || signed.url == nil
      if json {
        Output.json(signed)
      } else if let url = signed.url {
        Output.line(url)
      } else if let error = signed.error {
        Output.error("calotype: \(path): \(error.message)")
      }
    }
    if failed { throw ExitCode(1) }
  }
}
