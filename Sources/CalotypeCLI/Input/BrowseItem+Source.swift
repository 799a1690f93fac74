import CalotypeSupport
import CalotypeTerminal
import FoundationEssentials

extension BrowseItem {
  /// Captions longer than this are cut off.
  private static let nameLimit = 200

  /// Creates the item of a line, with the name of the file as its caption, or else the beginning of the
  /// line.
  init(text: String, isTooLong: Bool = false) {
    // A longer line is a data URL, which has no name.
    let last = text.utf8.count <= 4096 ? (try? Source(argument: text)?.url)?.lastPathComponent ?? "" : ""
    let name = last.isEmpty || last == "/" ? RedactedURL.withoutUsers(text, isOne: true) : last
    self.init(text: text, isTooLong: isTooLong, name: String(name.prefix(Self.nameLimit)))
  }

  /// - Throws: ``CommandError`` when the line contains no image source.
  func source() throws(CommandError) -> Source {
    if isTooLong { throw .lineTooLong(limit: LineReader.limit) }
    guard let source = Source(argument: text) else { throw .malformedURL(text) }
    return source
  }
}
