/// A media range of `Accept` with its weight (RFC 9110 §12.5.1), or a media type: a range without wildcards.
struct MediaRange: Hashable, Sendable {
  /// Ranges with more parameters are malformed: no image type has as many.
  private static let maxParameters = 8

  /// The type in lower case; `*` for all.
  private(set) var type: String
  /// The subtype in lower case and by its usual name; `*` for all.
  private(set) var subtype: String
  /// The values by their names in lower case, without the weight.
  private(set) var parameters: [String: String] = [:]
  /// The weight in thousandths.
  private(set) var quality = 1000

  init(type: String, subtype: String) {
    self.type = type
    self.subtype = subtype
  }

  /// Reads an element of `Accept`; `nil` if it is malformed. O(length).
  init?(_ text: ArraySlice<UInt8>) {
    var reader = FieldReader(text)
    guard let type = reader.token(), reader.skips("/"), let subtype = reader.token() else { return nil }
    guard type != "*" || subtype == "*" else { return nil }
    self.init(type: type.lowercased(), subtype: subtype.lowercased())
    if self.type == "image" { self.subtype = Self.usualNames[self.subtype] ?? self.subtype }

    var hasQuality = false
    while !reader.isAtEnd {
      reader.skipWhitespace()
      guard reader.skips(";") else { return nil }
      reader.skipWhitespace()
      // A parameter may be empty (RFC 9110 §5.6.6).
      if reader.isAtEnd || reader.next == UInt8(ascii: ";") { continue }
      guard let name = reader.token()?.lowercased(), reader.skips("=") else { return nil }
      if name == "q" {
        // The weight counts wherever it stands among the parameters (RFC 9110 §12.5.1).
        guard !hasQuality, let quality = Self.weight(reader.token()) else { return nil }
        self.quality = quality
        hasQuality = true
      } else {
        guard let value = reader.token() ?? reader.quotedString(), parameters.count < Self.maxParameters,
          parameters.updateValue(value, forKey: name) == nil
        else { return nil }
      }
    }
  }

  /// Returns the rank of the range among those that include a type; `nil` if it does not include the type.
  ///
  /// The order is `type/subtype;parameters`, `type/subtype`, `type/*`, `*/*`.
  func specificity(for type: MediaRange) -> Int? {
    guard parameters.allSatisfy({ type.parameters[$0.key] == $0.value }) else { return nil }
    let level: Int
    switch (self.type, subtype) {
    case ("*", _): level = 0
    case (type.type, "*"): level = 1
    case (type.type, type.subtype): level = 2
    default: return nil
    }
    return level * (Self.maxParameters + 1) + parameters.count
  }

  /// Returns whether a rank is that of a range that names its subtype.
  static func namesSubtype(specificity: Int) -> Bool { specificity >= 2 * (maxParameters + 1) }

  /// The still PNG with the same parameters, if this is APNG.
  var stillType: MediaRange? {
    guard type == "image", subtype == "apng" else { return nil }
    var still = self
    still.subtype = "png"
    return still
  }

  private static let usualNames = ["jpg": "jpeg", "vnd.mozilla.apng": "apng"]

  /// Reads a weight of at most three decimals (RFC 9110 §12.4.2) as thousandths.
  private static func weight(_ text: String?) -> Int? {
    guard let bytes = text?.utf8, bytes.count <= 5, let first = bytes.first, [0x30, 0x31].contains(first)
    else { return nil }
    let decimals = bytes.dropFirst(2)
    guard bytes.count == 1 || bytes.dropFirst().first == UInt8(ascii: "."),
      decimals.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
    else { return nil }
    var weight = Int(first - 0x30)
    for index in 0..<3 { weight = weight * 10 + Int((decimals.dropFirst(index).first ?? 0x30) - 0x30) }
    return weight <= 1000 ? weight : nil
  }
}
