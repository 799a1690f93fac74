/// An opaque colour of 8 bits a channel, sRGB.
public struct RGBColor: Hashable, Sendable {
  /// Red.
  public var red: UInt8
  /// Green.
  public var green: UInt8
  /// Blue.
  public var blue: UInt8

  /// Mixes a colour.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Reads three or six hexadecimal digits without `#`, or returns `nil`.
  public init?(hex: some StringProtocol) {
    let digits = hex.utf8.compactMap(PercentEncoding.value)
    guard digits.count == hex.utf8.count else { return nil }
    switch digits.count {
    case 3: self.init(red: digits[0] * 17, green: digits[1] * 17, blue: digits[2] * 17)
    case 6:
      self.init(
        red: digits[0] << 4 | digits[1], green: digits[2] << 4 | digits[3], blue: digits[4] << 4 | digits[5])
    default: return nil
    }
  }

  /// Six hexadecimal digits in lower case.
  public var hex: String {
    [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
