/// The type and subtype of a media type, in lower case and without parameters (RFC 9110 §8.3.1).
struct MediaType: Hashable {
  let name: String

  init(_ text: String) {
    let name = text.prefix { $0 != ";" && $0 != "," }
    self.name = name.filter { $0 != " " && $0 != "\t" }.lowercased()
  }

  /// Whether it is `pattern`, or of its type when that ends with `/*`.
  func matches(_ pattern: String) -> Bool {
    let pattern = pattern.lowercased()
    if pattern == "*/*" { return true }
    return pattern.hasSuffix("/*")
      ? name.hasPrefix(pattern.dropLast()) && name.count >= pattern.count : name == pattern
  }
}
