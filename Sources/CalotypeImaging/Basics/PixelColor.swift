import CalotypeSupport

/// A colour in sRGB with straight alpha, 8 bits per sample.
public struct PixelColor: Hashable, Sendable {
  /// Red, 0 to 255.
  public var red: UInt8
  /// Green, 0 to 255.
  public var green: UInt8
  /// Blue, 0 to 255.
  public var blue: UInt8
  /// The alpha: 0 is transparent, 255 opaque.
  public var alpha: UInt8

  /// Creates a colour; opaque by default.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Transparent black.
  public static let clear = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)
  /// Opaque black.
  public static let black = PixelColor(red: 0, green: 0, blue: 0)
  /// Opaque white.
  public static let white = PixelColor(red: 255, green: 255, blue: 255)

  /// Parses `rgb`, `rrggbb` or `rrggbbaa` in hexadecimal, with or without `#`, or `clear`, `black` or `white`.
  public init?(_ text: String) {
    switch text.lowercased() {
    case "clear": self = .clear
    case "black": self = .black
    case "white": self = .white
    default:
      var digits = text.hasPrefix("#") ? String(text.dropFirst()) : text
      // `UInt32` would accept a sign.
      guard digits.utf8.allSatisfy({ Hex.value(of: $0) != nil }) else {
        return nil
      }
      if digits.count == 3 { digits = digits.map { "\($0)\($0)" }.joined() }
      if digits.count == 6 { digits += "ff" }
      guard digits.count == 8, let value = UInt32(digits, radix: 16) else { return nil }
      self.init(
        red: UInt8(truncatingIfNeeded: value >> 24), green: UInt8(truncatingIfNeeded: value >> 16),
        blue: UInt8(truncatingIfNeeded: value >> 8), alpha: UInt8(truncatingIfNeeded: value))
    }
  }

  /// `rrggbb`, or `rrggbbaa` unless opaque, in hexadecimal.
  public var hex: String {
    Hex.encode(alpha == 255 ? [red, green, blue] : [red, green, blue, alpha])
  }
}

extension PixelColor: Codable {
  /// Decodes a text that ``init(_:)`` accepts, such as `ff8000`.
  ///
  /// - Throws: `DecodingError` for other text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let color = PixelColor(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a colour")
    }
    self = color
  }

  /// Encodes ``hex``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(hex)
  }
}
