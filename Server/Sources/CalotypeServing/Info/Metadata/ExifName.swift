/// A tag of Exif: its name in the specification, and the one for people.
struct ExifName: Hashable, Sendable {
  let canonical: String
  let title: String
  var style = ExifStyle.plain
  /// The meanings of numbers.
  var meanings: [Int: String] = [:]
  /// Whether the value is a version, whose digits Exif stores as bytes without a type.
  var isVersion: Bool { canonical.hasSuffix("Version") || canonical.hasPrefix("SubsecTime") }

  init(_ canonical: String, _ title: String, _ style: ExifStyle = .plain, _ meanings: [Int: String] = [:]) {
    self.canonical = canonical
    self.title = title
    self.style = style
    self.meanings = meanings
  }
}
