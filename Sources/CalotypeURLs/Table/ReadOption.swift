/// An option of a URL as it is written, with its meaning.
public struct ReadOption: Hashable, Sendable, Encodable {
  /// The full name.
  public let name: String
  /// The arguments as they are written.
  public let arguments: [String]
  /// The meaning, and the arguments in order.
  public let meaning: String
  /// The chained pipeline, counted from 0.
  public let pipeline: Int
  /// The preset that has it; `nil` for the URL itself.
  public let preset: String?

  init(_ name: String, _ values: ArraySlice<ArraySlice<UInt8>>, pipeline: Int, preset: String?) {
    self.name = OptionTable.synonyms(of: name)[0]
    arguments = values.map { String(decoding: $0, as: UTF8.self) }
    meaning = OptionTable.meaning(of: name)
    self.pipeline = pipeline
    self.preset = preset
  }
}
