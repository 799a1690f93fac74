import Calotype
import CalotypeSupport
import FoundationEssentials

/// A line of the list: an image, or why it cannot be one.
struct BrowseItem: Hashable, Sendable {
  /// A URL or a path, as it was written.
  let text: String
  /// Whether it was cut off.
  let isTooLong: Bool
  /// What stands below the picture: the name of the file, or the beginning of everything where there is none.
  let name: String

  init(text: String, isTooLong: Bool = false) {
    (self.text, self.isTooLong) = (text, isTooLong)
    let last = text.utf8.count <= 4096 ? (try? Source(argument: text)?.url)?.lastPathComponent ?? "" : ""
    name = String(
      (last.isEmpty || last == "/" ? RedactedURL.withoutUsers(text, isOne: true) : last).prefix(200))
  }

  /// - Throws: ``CommandError``.
  func source() throws(CommandError) -> Source {
    if isTooLong { throw .lineTooLong(limit: LineReader.limit) }
    guard let source = Source(argument: text) else { throw .malformedURL(text) }
    return source
  }
}
