/// Text whose markup cannot be read: the fault, and a remedy.
struct MarkupError: Error, Hashable, CustomStringConvertible {
  /// The fault and a remedy in one sentence.
  let description: String

  init(_ reason: String, remedy: String) { description = "\(reason); \(remedy)" }
}
