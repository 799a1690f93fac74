/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
  /// Pixels per row.
  public var width: Int
  /// Number of rows.
  public var height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Width times height; `Int.max` when that overflows.
  public var pixelCount: Int {
    let (product, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? .max : product
  }

  /// The size turned by 90 degrees.
  public var transposed: PixelSize { PixelSize(width: height, height: width) }

  /// `width×height`.
  public var description: String { "\(width)×\(height)" }
}
