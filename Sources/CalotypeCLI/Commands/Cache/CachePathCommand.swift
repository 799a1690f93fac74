import ArgumentParser
import Calotype
import FoundationEssentials
import CalotypeTerminal

struct CachePathCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path", abstract: "Prints the folder of the cache.")

  @OptionGroup var cache: CacheOptions
  @Flag(help: "One JSON object.")
  var json = false

  private struct Report: Encodable {
    let path: String
  }

  func run() {
    let path = cache.configuration.folder.path
    if json { Output.json(Report(path: path)) } else { Output.line(path) }
  }
}
