/// The arguments of an option that is written, checked as those that are read.
struct WrittenArguments {
  private(set) var texts: [String] = []
  /// The first value that cannot be written.
  private(set) var fault: String?
  private let name: String
  /// Whether values of imgproxy Pro can be written.
  let isPro: Bool

  init(_ name: String, isPro: Bool) {
    self.name = name
    self.isPro = isPro
  }

  /// The texts without empty ones at the end, of which one remains.
  func finished() throws(ImageURLError) -> [String] {
    if let fault { throw Self.unwritable(name, fault) }
    var texts = texts
    while texts.count > 1, texts.last?.isEmpty == true { texts.removeLast() }
    return texts
  }

  static func unwritable(_ name: String, _ fault: String) -> ImageURLError {
    ImageURLError(.unwritable, "\(name) cannot be written: \(fault)", remedy: "change the value")
  }

  private mutating func refuse(_ reason: String) {
    if fault == nil { fault = reason }
  }

  /// Adds nothing where something can be.
  mutating func skip() { texts.append("") }

  mutating func integer(_ value: Int?, in range: ClosedRange<Int>) {
    guard let value else { return skip() }
    if !range.contains(value) { refuse("\(value) is out of range") }
    texts.append(String(value))
  }

  mutating func real(_ value: Double?, in range: RealRange) {
    guard let value else { return skip() }
    if !range.contains(value) { refuse("\(value) is not \(range.expectation)") }
    texts.append(NumberText.text(value))
  }

  mutating func flag(_ value: Bool?) {
    guard let value else { return skip() }
    texts.append(value ? "1" : "0")
  }

  mutating func color(_ value: RGBColor?) { texts.append(value?.hex ?? "") }

  mutating func choice(_ value: (some RawRepresentable<String>)?) { texts.append(value?.rawValue ?? "") }

  mutating func base64(_ value: String) {
    if value.utf8.contains(0) { refuse("the text has a NUL") }
    texts.append(Base64URL.encode(Array(value.utf8)))
  }

  /// Adds text as it is, which must be the same in any path. The caller checks for separators.
  mutating func plain(_ value: String) {
    if !SafeText.isSegment(value) {
      refuse("\"\(value.prefix(32))\" has characters that a path segment cannot have")
    }
    texts.append(value)
  }

  mutating func percentEncoded(_ value: String) {
    if SafeText.validated(value.utf8) == nil { refuse("the text has control characters") }
    texts.append(
      String(
        decoding: PercentEncoding.encode(value.utf8, keeping: PercentEncoding.isUnreserved), as: UTF8.self))
  }

  /// Refuses the values unless a condition holds.
  mutating func add(_ reason: String, unless condition: Bool) {
    if !condition { refuse(reason) }
  }
}
