/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The number of pixels per row.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Width times height; `Int.max` if the product overflows.
  public var pixelCount: Int {
    let (product, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? .max : product
  }

  /// The size rotated by 90 degrees.
  public var transposed: PixelSize { PixelSize(width: height, height: width) }

  /// `width×height`.
  public var description: String { "\(width)×\(height)" }
}
