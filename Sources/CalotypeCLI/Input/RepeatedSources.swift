/// Keeps the values of sources that are named again, so that each is computed once.
struct RepeatedSources<Value> {
  /// How often each source that is named several times is still to come.
  private var remaining: [String: Int] = [:]
  private var values: [String: Value] = [:]

  init(_ sources: [Source]) {
    var counts: [String: Int] = [:]
    for source in sources { counts[source.text, default: 0] += 1 }
    remaining = counts.filter { $0.value > 1 }
  }

  /// Returns the value of a source, which `make` computes the first time.
  mutating func value(of source: Source, make: () async -> Value) async -> Value {
    guard let count = remaining[source.text] else { return await make() }
    let value = if let known = values[source.text] { known } else { await make() }
    // The last time, it is forgotten.
    remaining[source.text] = count > 1 ? count - 1 : nil
    values[source.text] = count > 1 ? value : nil
    return value
  }
}
