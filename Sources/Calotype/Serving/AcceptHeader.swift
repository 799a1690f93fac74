public import HTTPTypes

/// The media types that a client accepts (RFC 9110 §12.5.1).
///
/// Malformed elements are ignored. Without any well-formed one, and without the field, everything is
/// accepted. `image/jpg` is JPEG, `image/vnd.mozilla.apng` is APNG, and a range of PNG includes APNG, unless
/// another names APNG.
public struct AcceptHeader: Hashable, Sendable {
  /// The number of elements to read; later ones are ignored.
  private static let maxElements = 100

  private var ranges: [MediaRange] = []

  /// Reads the lines of an `Accept` field; O(length).
  public init(values: some Sequence<String>) {
    var rest = Self.maxElements
    for value in values {
      for element in FieldElements(value, quoting: .strings) {
        guard rest > 0 else { return }
        rest -= 1
        if let range = MediaRange(element) { ranges.append(range) }
      }
    }
  }

  /// Reads the lines of an `Accept` field, joined by commas; `nil` if the request has none.
  public init(_ value: String?) {
    self.init(values: CollectionOfOne(value ?? ""))
  }

  /// Reads the `Accept` fields of a request.
  public init(request fields: HTTPFields) {
    self.init(values: fields[values: .accept])
  }

  /// Returns the weight of a media type in thousandths: 0 excludes it, 1000 is the most.
  ///
  /// The most specific range that includes the type decides; among equally specific ones the highest weight.
  public func quality(of mimeType: String) -> Int {
    guard !ranges.isEmpty else { return 1000 }
    let type =
      MediaRange(Array(mimeType.utf8)[...]) ?? MediaRange(type: "application", subtype: "octet-stream")
    let closest = closestRange(to: type)
    if let still = type.stillType, !MediaRange.namesSubtype(specificity: closest.specificity) {
      return closestRange(to: still).quality
    }
    return closest.quality
  }

  private func closestRange(to type: MediaRange) -> (specificity: Int, quality: Int) {
    var closest = (specificity: -1, quality: 0)
    for range in ranges {
      guard let specificity = range.specificity(for: type) else { continue }
      if (specificity, range.quality) > closest { closest = (specificity, range.quality) }
    }
    return closest
  }
}
