/// The words of a text of vectors.
struct Words {
  /// The values of words of the form `name=value`.
  private(set) var values: [String: String] = [:]
  /// All other words.
  private(set) var others: [String] = []

  init(_ text: Substring) {
    for word in text.split(separator: " ").map(String.init) {
      if let mark = word.firstIndex(of: "="), mark != word.startIndex, !word.hasPrefix("/") {
        values[String(word[..<mark])] = String(word[word.index(after: mark)...])
      } else {
        others.append(word)
      }
    }
  }

  init(_ text: String) { self.init(text[...]) }

  /// Returns a value as two numbers with an `x` between.
  func size(_ name: String) -> (width: Int, height: Int)? {
    values[name].flatMap(Self.size)
  }

  /// Reads two numbers with an `x` between.
  static func size(_ text: String) -> (width: Int, height: Int)? {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
    return (width, height)
  }
}

extension StringProtocol {
  /// The text before the first of some characters.
  func prefix(before characters: String) -> String { String(prefix { !characters.contains($0) }) }

  /// The text without some characters at both ends.
  func trimmed(of characters: String) -> String {
    var text = self[...]
    while let first = text.first, characters.contains(first) { text.removeFirst() }
    while let last = text.last, characters.contains(last) { text.removeLast() }
    return String(text)
  }
}
