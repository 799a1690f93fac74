/// One line of the list that is browsed.
package struct BrowseItem: Hashable, Sendable {
  /// The URL or path, as it was written.
  package let text: String
  /// Whether ``text`` is only the beginning of a line that is too long to be a URL.
  package let isTooLong: Bool
  /// The caption of the picture.
  package let name: String

  package init(text: String, isTooLong: Bool = false, name: String) {
    (self.text, self.isTooLong, self.name) = (text, isTooLong, name)
  }
}
