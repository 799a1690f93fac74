import CalotypeSupport
import CalotypeTerminal
import FoundationEssentials

extension BrowseItem {
  /// Captions longer than this are cut off.
  private static let nameLimit = 200

  /// The item of a line, whose caption is the name of the file, or the beginning of the line where there is none.
  init(text: String, isTooLong: Bool = false) {
    // A longer line is a data URL, which has no name.
    let last = text.utf8.count <= 4096 ? (try? Source(argument: text)?.url)?.lastPathComponent ?? "" : ""
    let name = last.isEmpty || last == "/" ? RedactedURL.withoutUsers(text, isOne: true) : last
    self.init(text: text, isTooLong: isTooLong, name: String(name.prefix(Self.nameLimit)))
  }

  /// - Throws: ``CommandError`` when the line names no image.
  func source() throws(CommandError) -> Source {
    if isTooLong { throw .lineTooLong(limit: LineReader.limit) }
    guard let source = Source(argument: text) else { throw .malformedURL(text) }
    return source
  }
}
