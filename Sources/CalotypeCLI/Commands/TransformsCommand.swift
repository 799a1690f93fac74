import ArgumentParser
import Calotype
import FoundationEssentials
import CalotypeTerminal

struct TransformsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transforms",
    abstract: "Lists the transforms of --transform.",
    discussion: """
      Arguments follow the name after a colon, separated by commas, by position or as key=value; those in brackets are \
      optional. C is a colour such as ff8000, ff800080, white or clear. Several --transform options apply in order; a \
      resize that comes first is part of the decode.

        calotype convert a.jpg b.png --transform resize:320x320 --transform round:24
      """)

  @Flag(help: "One JSON object a line.")
  var json = false

  private struct Line: Encodable {
    let name: String
    let arguments: String
    let summary: String
  }

  func run() {
    for entry in TransformChain.Catalog.entries {
      if json {
        Output.json(Line(name: entry.name, arguments: entry.usage, summary: entry.summary))
      } else {
        Output.line("\(entry.name):\(entry.usage)")
        Output.line("    \(entry.summary)")
      }
    }
  }
}
