/// A tag of Exif: its name in the specification, and the one for people.
struct ExifName: Hashable, Sendable {
  let canonical: String
  let title: String
  var style = ExifStyle.plain
  /// The meanings of numbers.
  var meanings: [Int: String] = [:]
  /// Whether bytes of no type are the digits of a version.
  var isVersion: Bool { canonical.hasSuffix("Version") || canonical.hasPrefix("SubsecTime") }

  init(_ canonical: String, _ title: String, _ style: ExifStyle = .plain, _ meanings: [Int: String] = [:]) {
    self.canonical = canonical
    self.title = title
    self.style = style
    self.meanings = meanings
  }
}
