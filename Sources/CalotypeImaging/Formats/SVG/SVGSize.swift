import FoundationEssentials

/// The natural size of a drawing at 96 dpi, by `width`, `height` and `viewBox` of its root element (SVG 2, 8.2).
enum SVGSize {
  /// The size of a drawing that gives none (CSS Images 3, 5.1, as in browsers).
  private static let fallback = (width: 300.0, height: 150.0)
  /// Larger sizes exceed every limit.
  private static let largest = 1e9

  private enum Length {
    case pixels(Double)
    /// Relative to the side of `viewBox`.
    case share(Double)
    /// Missing, or `auto`.
    case auto
  }

  /// Returns the size in pixels, rounded, and at least 1 by 1.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` for sizes that are zero, negative or no numbers.
  static func pixels(of root: XMLRootElement) throws(ImagingError) -> PixelSize {
    let size = try natural(of: root)
    return PixelSize(width: rounded(size.width), height: rounded(size.height))
  }

  /// Returns the size in pixels; both sides are above 0.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` for sizes that are zero, negative or no numbers.
  static func natural(of root: XMLRootElement) throws(ImagingError) -> (width: Double, height: Double) {
    let box = viewBox(root.value(of: "viewBox"))
    var width = try length(root, "width")
    var height = try length(root, "height")
    // A share of nothing is no size.
    if case .share(let share) = width { width = box.map { .pixels($0.width * share) } ?? .auto }
    if case .share(let share) = height { height = box.map { .pixels($0.height * share) } ?? .auto }
    let size: (width: Double, height: Double) =
      switch (width, height) {
      case (.pixels(let width), .pixels(let height)): (width, height)
      case (.pixels(let width), _): (width, box.map { width * $0.height / $0.width } ?? fallback.height)
      case (_, .pixels(let height)): (box.map { height * $0.width / $0.height } ?? fallback.width, height)
      default: box ?? fallback
      }
    for side in [size.width, size.height] {
      guard side.isFinite, side > 0 else {
        throw .corrupt(.svg, reason: "a side of the drawing is \(side)", offset: nil)
      }
    }
    return size
  }

  private static func rounded(_ side: Double) -> Int { max(1, Int(min(side, largest).rounded())) }

  private static func length(_ root: XMLRootElement, _ name: String) throws(ImagingError) -> Length {
    guard let text = root.value(of: name) else { return .auto }
    var scanner = Scanner(text)
    scanner.skipSpaces()
    if scanner.rest == "auto" { return .auto }
    guard let number = scanner.number(), number.isFinite, number > 0 else {
      throw .corrupt(.svg, reason: "the \(name) is \(text.prefix(40).debugDescription)", offset: nil)
    }
    switch scanner.rest {
    case "", "px": return .pixels(number)
    case "%": return .share(number / 100)
    case "in": return .pixels(number * 96)
    case "cm": return .pixels(number * 96 / 2.54)
    case "mm": return .pixels(number * 96 / 25.4)
    case "q": return .pixels(number * 96 / 101.6)
    case "pt": return .pixels(number * 96 / 72)
    case "pc": return .pixels(number * 16)
    // Of the initial font, which has 16 pixels.
    case "em", "rem": return .pixels(number * 16)
    case "ex": return .pixels(number * 8)
    default:
      throw .corrupt(.svg, reason: "the \(name) is \(text.prefix(40).debugDescription)", offset: nil)
    }
  }

  /// Returns the size of a sound `viewBox`.
  private static func viewBox(_ text: String?) -> (width: Double, height: Double)? {
    guard let text else { return nil }
    var scanner = Scanner(text)
    var numbers: [Double] = []
    while numbers.count < 4 {
      scanner.skipSpaces()
      if !numbers.isEmpty, scanner.skip(0x2C) { scanner.skipSpaces() }
      guard let number = scanner.number(), number.isFinite else { return nil }
      numbers.append(number)
    }
    guard scanner.rest.isEmpty, numbers[2] > 0, numbers[3] > 0 else { return nil }
    return (numbers[2], numbers[3])
  }

  /// A cursor over the characters of an attribute.
  private struct Scanner {
    private let text: [UInt8]
    private var position = 0

    init(_ text: String) {
      self.text = Array(text.utf8)
    }

    private var next: UInt8? { position < text.count ? text[position] : nil }

    /// The remaining characters in lower case, without white space around them.
    var rest: String {
      let start = text[position...].drop { $0 <= 0x20 }
      let end = start.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start.startIndex
      return String(decoding: start[..<end], as: UTF8.self).lowercased()
    }

    mutating func skipSpaces() {
      while let byte = next, byte <= 0x20 { position += 1 }
    }

    mutating func skip(_ byte: UInt8) -> Bool {
      guard next == byte else { return false }
      position += 1
      return true
    }

    private mutating func skipDigits() -> Int {
      let start = position
      while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
      return position - start
    }

    /// Reads a number; an exponent only if digits follow, because of the units `em` and `ex`.
    mutating func number() -> Double? {
      let start = position
      if next == 0x2B || next == 0x2D { position += 1 }
      var digits = skipDigits()
      if skip(0x2E) { digits += skipDigits() }
      guard digits > 0 else {
        position = start
        return nil
      }
      let end = position
      if next == 0x65 || next == 0x45 {
        position += 1
        if next == 0x2B || next == 0x2D { position += 1 }
        if skipDigits() == 0 { position = end }
      }
      return Double(String(decoding: text[start..<position], as: UTF8.self))
    }
  }
}
