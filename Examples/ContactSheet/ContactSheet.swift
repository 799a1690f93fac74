import ArgumentParser
import Calotype
import FoundationEssentials

/// A page of thumbnails of all images of a folder: `swift run ContactSheet photos sheet.html`.
@main
struct ContactSheet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ContactSheet", abstract: "Writes an HTML page with thumbnails of all images of a folder.")

  @Argument(help: "The folder with the images.")
  var folder: String
  @Argument(help: "The page to write. Thumbnails are files in a folder beside it.")
  var output: String
  @Flag(help: "Thumbnails in the page itself, as data URLs.")
  var inline = false

  func run() async throws {
    let source = URL(filePath: folder, directoryHint: .isDirectory)
    let page = URL(filePath: output)
    let (entries, failures) = try await EntryMaker(page: page, isInline: inline).entries(of: source)
    let html = SheetPage(title: source.lastPathComponent, entries: entries).html
    try Data(html.utf8).write(to: page, options: .atomic)
    for failure in failures { print(failure) }
    print("\(page.lastPathComponent): \(entries.count) images, \(html.utf8.count) bytes of HTML")
    if !failures.isEmpty { throw ExitCode.failure }
  }
}
