import CalotypeImaging
import CalotypeSupport
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
  /// The weights of the types that servers offer, because each response asks for some of them.
  private var usualWeights: [Int] = []

  /// Reads the lines of an `Accept` field; O(length).
  public init(values: some Sequence<String>) {
    var rest = Self.maxElements
    for value in values {
      for element in FieldElements(value, quoting: .strings) {
        guard rest > 0 else { break }
        rest -= 1
        if let range = MediaRange(element) { ranges.append(range) }
      }
    }
    usualWeights = Self.usualTypes.map { weight(of: $0.range) }
  }

  /// Reads the lines of an `Accept` field, joined by commas; `nil` if the request has none.
  public init(_ value: String?) {
    self = Self.recent.header(value ?? "")
  }

  /// Reads the `Accept` fields of a request.
  public init(request fields: HTTPFields) {
    self.init(values: fields[values: .accept])
  }

  /// Returns the weight of a media type in thousandths: 0 excludes it, 1000 is the most.
  ///
  /// The most specific range that includes the type decides; among equally specific ones the highest weight.
  public func quality(of mimeType: String) -> Int {
    if let index = Self.usualTypes.firstIndex(where: { $0.name == mimeType }) { return usualWeights[index] }
    return weight(
      of: MediaRange(Array(mimeType.utf8)[...]) ?? MediaRange(type: "application", subtype: "octet-stream"))
  }

  private func weight(of type: MediaRange) -> Int {
    guard !ranges.isEmpty else { return 1000 }
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

  private static let usualTypes: [(name: String, range: MediaRange)] =
    [ImageFormat.webp, .jpeg, .png, .avif, .gif, .apng].compactMap { format in
      guard let name = format.mimeType, let range = MediaRange(Array(name.utf8)[...]) else { return nil }
      return (name, range)
    }

  private static let recent = RecentHeaders()
}

/// The fields that were read last: browsers send few different ones, with every request.
final class RecentHeaders: Sendable {
  private static let maxLength = 512
  private static let maxCount = 64

  private let headers = Lock<[String: AcceptHeader]>([:])

  /// Whether a field is short enough to be remembered, and ASCII: strings are equal by canonical equivalence, and other
  /// bytes may have another meaning.
  static func remembers(_ text: String) -> Bool {
    guard text.utf8.count <= maxLength else { return false }
    var text = text
    return text.withUTF8 { bytes in bytes.reduce(0) { $0 | $1 } } < 0x80
  }

  func header(_ text: String) -> AcceptHeader {
    guard Self.remembers(text) else { return AcceptHeader(values: CollectionOfOne(text)) }
    if let known = headers.withLock({ $0[text] }) { return known }
    let header = AcceptHeader(values: CollectionOfOne(text))
    headers.withLock {
      if $0.count >= Self.maxCount { $0.removeAll() }
      $0[text] = header
    }
    return header
  }
}
