extension Transforms {
  /// How round a corner is.
  public enum CornerRadius: Hashable, Sendable {
    /// A radius in pixels.
    case pixels(Double)
    /// A radius in percent of the picture's shorter side. 50 makes a square a circle.
    case percent(Double)

    /// Reads `12` or `25%`.
    public init?(_ text: String) {
      let isPercent = text.hasSuffix("%")
      guard let number = Double(isPercent ? String(text.dropLast()) : text), number.isFinite else {
        return nil
      }
      self = isPercent ? .percent(number) : .pixels(number)
    }

    /// The number, in either unit.
    var number: Double {
      switch self {
      case .pixels(let number), .percent(let number): number
      }
    }

    /// The radius in a picture of this size, in pixels. Absurd numbers are cut to what no picture can show.
    func pixels(in size: PixelSize) -> Double {
      switch self {
      case .pixels(let radius): min(radius, 1e12)
      case .percent(let percent): min(percent / 100 * Double(min(size.width, size.height)), 1e12)
      }
    }
  }
}

extension Transforms.CornerRadius: CustomStringConvertible {
  /// `12` or `25%`.
  public var description: String {
    switch self {
    case .pixels(let radius): radius.spelling
    case .percent(let percent): percent.spelling + "%"
    }
  }
}

extension Transforms.CornerRadius: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Pixels.
  public init(integerLiteral value: Int) { self = .pixels(Double(value)) }
  /// Pixels.
  public init(floatLiteral value: Double) { self = .pixels(value) }
}
