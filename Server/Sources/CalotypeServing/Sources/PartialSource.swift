/// Decides whether an answer with the status 206, for which nobody asked, is a whole source.
public enum PartialSource {
  /// Returns whether a `Content-Range` covers everything.
  ///
  /// - Parameters:
  ///   - range: The value of the field.
  ///   - length: The number of bytes of the body, if it is known; needed if the field does not say how many there are.
  public static func isWhole(_ range: String?, length: Int?) -> Bool {
    guard let range, range.utf8.count <= 128 else { return false }
    let words = range.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return false }
    let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2 else { return false }
    let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first == 0 else {
      return false
    }
    // The last byte has the number of bytes less 1.
    guard let count = sides[1] == "*" ? length : number(sides[1]) else { return false }
    return last < Int.max && count == last + 1 && length.map { $0 == count } ?? true
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}
