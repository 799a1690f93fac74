/// The position of a box in a picture, for the part that a crop keeps or the place of an overlay.
public enum Anchor: Hashable, Sendable {
  /// In the middle.
  case center
  /// In the middle of the upper edge.
  case top
  /// In the middle of the lower edge.
  case bottom
  /// In the middle of the left edge.
  case left
  /// In the middle of the right edge.
  case right
  /// In the upper left corner.
  case topLeft
  /// In the upper right corner.
  case topRight
  /// In the lower left corner.
  case bottomLeft
  /// In the lower right corner.
  case bottomRight
  /// The box is centred at this point, or as near to it as the edges allow: fractions of the picture's width and
  /// height, each 0 to 1.
  case focus(x: Double, y: Double)
  /// The region with the most detail. For crops only.
  case entropy
  /// The region that attracts a viewer's attention: detail, strong colours, skin. For crops only.
  case attention

  /// The anchors whose text is a single word.
  private static let words: [String: Anchor] = [
    "center": .center, "top": .top, "bottom": .bottom, "left": .left, "right": .right, "topLeft": .topLeft,
    "topRight": .topRight, "bottomLeft": .bottomLeft, "bottomRight": .bottomRight, "entropy": .entropy,
    "attention": .attention,
  ]

  /// Parses the texts of ``description``: `center`, `topLeft`, `entropy`, `focus(0.3;0.7)` and so on.
  public init?(_ text: String) {
    if let anchor = Self.words[text] {
      self = anchor
      return
    }
    guard text.hasPrefix("focus("), text.hasSuffix(")") else { return nil }
    let numbers = text.dropFirst(6).dropLast().split(separator: ";", omittingEmptySubsequences: false)
    guard numbers.count == 2, let x = Double(numbers[0]), let y = Double(numbers[1]), x.isFinite, y.isFinite
    else {
      return nil
    }
    self = .focus(x: x, y: y)
  }

  /// The measure of pixels; `nil` for the anchors that only depend on the size.
  var interest: SmartCrop.Interest? {
    switch self {
    case .entropy: .entropy
    case .attention: .attention
    default: nil
    }
  }

  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` of the step `name` for a point outside the picture, and
  ///   for anchors that read pixels unless `isCut`.
  func check(_ name: String, isCut: Bool) throws(ImagingError) {
    if case .focus(let x, let y) = self, !(0...1 ~= x && 0...1 ~= y) {
      throw .invalidParameter(name: name, reason: "a focus is two fractions of 0 to 1, not \(x) and \(y)")
    }
    if interest != nil, !isCut {
      throw .invalidParameter(
        name: name, reason: "the anchor \(self) is for cuts; name an edge or a focus here")
    }
  }

  /// Returns the upper left corner of a box in a picture of a size.
  ///
  /// A box that is larger than the picture extends beyond it, with an origin below 0. Anchors that read pixels count as
  /// ``center``; see ``origin(of:in:)-(_,Bitmap)``.
  func position(of box: PixelSize, in size: PixelSize) -> (x: Double, y: Double) {
    position(
      width: Double(box.width), height: Double(box.height), in: size)
  }

  /// Returns the upper left corner of a box whose sides are fractions of pixels.
  func position(width: Double, height: Double, in size: PixelSize) -> (x: Double, y: Double) {
    func along(_ box: Double, _ length: Double, _ share: Double) -> Double { (length - box) * share }
    if case .focus(let x, let y) = self {
      func around(_ box: Double, _ length: Double, _ share: Double) -> Double {
        let slack = length - box
        return min(max(length * share - box / 2, min(0, slack)), max(0, slack))
      }
      return (around(width, Double(size.width), x), around(height, Double(size.height), y))
    }
    let (x, y) = shares
    return (along(width, Double(size.width), x), along(height, Double(size.height), y))
  }

  /// Returns the upper left corner in whole pixels: rounded to nearest, halves to the left and upwards.
  func origin(of box: PixelSize, in size: PixelSize) -> (x: Int, y: Int) {
    let (x, y) = position(of: box, in: size)
    return (Int((x - 0.5).rounded(.up)), Int((y - 0.5).rounded(.up)))
  }

  /// Returns the upper left corner of a box of whole pixels in `bitmap`, whose pixels are read if the anchor depends on
  /// them.
  func origin(of box: PixelSize, in bitmap: Bitmap) throws(ImagingError) -> (x: Int, y: Int) {
    guard let interest else { return origin(of: box, in: bitmap.size) }
    return try SmartCrop.window(of: bitmap, size: box, interest: interest)
  }

  /// The parts of the free space that lie to the left of the box and above it.
  private var shares: (x: Double, y: Double) {
    switch self {
    case .topLeft: (0, 0)
    case .top: (0.5, 0)
    case .topRight: (1, 0)
    case .left: (0, 0.5)
    case .right: (1, 0.5)
    case .bottomLeft: (0, 1)
    case .bottom: (0.5, 1)
    case .bottomRight: (1, 1)
    case .center, .focus, .entropy, .attention: (0.5, 0.5)
    }
  }
}

extension Anchor: CustomStringConvertible {
  /// The name of the case, with the numbers of a focus: `focus(0.3;0.7)`.
  public var description: String {
    // Most are, and descriptions are part of keys.
    if self == .center { return "center" }
    if case .focus(let x, let y) = self { return "focus(\(x.spelling);\(y.spelling))" }
    return Self.words.first { $0.value == self }?.key ?? "center"
  }
}

extension Anchor: Codable {
  /// Decodes the text of ``description``.
  ///
  /// - Throws: `DecodingError` for other text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let anchor = Anchor(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not an anchor")
    }
    self = anchor
  }

  /// Encodes ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
