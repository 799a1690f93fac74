#if SVG
import CSVG

/// A parsed drawing.
struct SVGDrawing: ~Copyable {
  private let handle: OpaquePointer
  /// The natural size, in pixels of 96 dpi.
  private let width: Double
  private let height: Double

  /// The longest side of a surface of cairo.
  static let longestSide = 32_767
  /// The longest side of a whole drawing of which a part is drawn; coordinates of cairo have 24 bits before the point.
  private static let longestWhole = 1 << 22

  /// Parses a text.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/unsupportedFormat(_:reason:)`` without librsvg.
  init(_ text: SVGText, width: Double, height: Double) throws(ImagingError) {
    try OptionalLibrary.svg.require()
    let (made, reason) = Self.withMessage { csvg_parse(text.bytes, text.bytes.count, $0) }
    guard let made else { throw .corrupt(.svg, reason: reason, offset: nil) }
    handle = made
    (self.width, self.height) = (width, height)
  }

  deinit { csvg_free(handle) }

  /// Draws a part of the drawing, on transparency.
  ///
  /// - Parameters:
  ///   - size: The size of the part.
  ///   - x: The left edge of the part.
  ///   - y: The upper edge of the part.
  ///   - whole: The size of the whole drawing.
  /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)`` beyond the limits of cairo,
  ///   ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/outOfMemory(byteCount:)``.
  borrowing func draw(
    _ size: PixelSize, x: Int, y: Int, of whole: PixelSize
  ) throws(ImagingError) -> Bitmap {
    for (side, limit) in [
      (max(size.width, size.height), Self.longestSide), (max(whole.width, whole.height), Self.longestWhole),
    ] where side > limit {
      throw .limitExceeded(.side, value: side, limit: limit)
    }
    var part = csvg_part(
      width: width, height: height, scaled_width: UInt32(whole.width), scaled_height: UInt32(whole.height),
      x: UInt32(x), y: UInt32(y), part_width: UInt32(size.width), part_height: UInt32(size.height))
    return try Bitmap(size: size) { (pixels) throws(ImagingError) in
      pixels.initializeMemory(as: UInt8.self, repeating: 0)
      let (isDrawn, reason) = Self.withMessage { message in
        csvg_draw(handle, &part, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), message)
      }
      guard isDrawn else { throw .corrupt(.svg, reason: reason, offset: nil) }
      return false
    }
  }

  private static func withMessage<Result>(
    _ body: (UnsafeMutablePointer<CChar>) -> Result
  ) -> (Result, String) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
      message.initialize(repeating: 0)
      let start = message.baseAddress.unsafelyUnwrapped
      let result = body(start)
      return (result, String(cString: start))
    }
  }
}
#endif
