import Calotype
import FoundationEssentials

/// A line of the list: an image, or why it cannot be one.
struct BrowseItem: Hashable, Sendable {
  /// A URL or a path, as it was written.
  let text: String
  /// Whether it was cut off.
  var isTooLong = false

  /// What stands below the picture: the name of the file, or everything where there is none.
  var name: String {
    guard !isTooLong, let url = try? source().url else { return text }
    return url.lastPathComponent.isEmpty || url.lastPathComponent == "/" ? text : url.lastPathComponent
  }

  /// - Throws: ``CommandError``.
  func source() throws(CommandError) -> Source {
    if isTooLong { throw .lineTooLong(limit: LineReader.limit) }
    guard let source = Source(argument: text) else { throw .malformedURL(text) }
    return source
  }
}
