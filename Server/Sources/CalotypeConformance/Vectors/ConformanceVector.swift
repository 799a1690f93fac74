/// A fact about another server: an input, and the answer to it.
public struct ConformanceVector: Hashable, Sendable {
  /// The name of the fact.
  public let id: String
  /// The kind of input.
  public let group: String
  /// The input, in the notation of its group.
  public let input: String
  /// The answer.
  public let expected: String

  /// Creates a fact.
  public init(id: String, group: String, input: String, expected: String) {
    self.id = id
    self.group = group
    self.input = input
    self.expected = expected
  }

  /// Reads rows of tab-separated fields: id, group, input, expected, and others that are ignored. A first row that begins
  /// with `id` is a heading.
  public static func vectors(in text: String) -> [ConformanceVector] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count >= 4, fields[0] != "id" else { return nil }
      return ConformanceVector(id: fields[0], group: fields[1], input: fields[2], expected: fields[3])
    }
  }
}
