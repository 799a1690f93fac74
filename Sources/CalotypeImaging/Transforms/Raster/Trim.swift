import CPixels

extension Transforms {
  /// A step that crops edges of one colour.
  public struct Trim: ImageTransforming, Hashable, Sendable {
    /// The colour of the edges; `nil` for that of the upper left pixel.
    public var color: PixelColor?
    /// The largest distance of a channel from the colour, 0 to 255. Colours are premultiplied for the comparison, so
    /// that all transparent pixels are equal.
    public var tolerance: Int
    /// The margin around the remaining picture, in pixels, as far as the picture has them.
    public var padding: Int

    /// Creates the step.
    public init(color: PixelColor? = nil, tolerance: Int = 10, padding: Int = 0) {
      self.color = color
      self.tolerance = tolerance
      self.padding = padding
    }

    /// Parses `tolerance=10,color=ffffff,padding=0`, all of it optional, in this order without names.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      tolerance = try arguments.integer("tolerance") ?? 10
      color = try arguments.color("color")
      padding = try arguments.integer("padding") ?? 0
      try arguments.finish()
      try check()
    }

    /// `trim:10`, `trim:10,color=ffffff,padding=4`.
    public var identity: String {
      "trim:\(tolerance)" + (color.map { ",color=\($0.hex)" } ?? "")
        + (padding == 0 ? "" : ",padding=\(padding)")
    }

    /// Returns the picture without its edges; the picture itself if there are none, or if it has only one colour.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a tolerance that is not 0 to 255, or a negative
    ///   padding; ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      return try bitmap.cropped(to: try keptRectangle(of: bitmap))
    }

    /// Returns the rectangle of an rgba8 picture to keep; all of it if it has one colour.
    func keptRectangle(of bitmap: Bitmap) throws(ImagingError) -> PixelRectangle {
      try check()
      let whole = PixelRectangle(x: 0, y: 0, size: bitmap.size)
      guard let content = try content(of: bitmap) else { return whole }
      let room = min(padding, Int(Int32.max))
      return PixelRectangle(
        left: content.x - room, top: content.y - room, right: content.x + content.size.width + room,
        bottom: content.y + content.size.height + room, in: bitmap.size) ?? whole
    }

    /// Returns the bounds of the pixels that differ from the edges; `nil` if there are none.
    private func content(of bitmap: Bitmap) throws(ImagingError) -> PixelRectangle? {
      let width = bitmap.width
      return try bitmap.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(ImagingError) in
        guard let pixels = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        let corner = color.map { [$0.red, $0.green, $0.blue, $0.alpha] } ?? Array(bytes[..<4])
        var key = [UInt8](repeating: 0, count: 4)
        cpx_weigh(corner, &key)
        let tolerance = Int32(tolerance)
        // Rows are scanned from both ends, and then only the columns outside the bounds found so far.
        var top = 0
        while cpx_first_different(pixels + 4 * top * width, width, key, tolerance) == width {
          top += 1
          if top == bitmap.height { return nil }
          if top % 64 == 0, Task.isCancelled { throw .cancelled }
        }
        var bottom = bitmap.height
        while cpx_first_different(pixels + 4 * (bottom - 1) * width, width, key, tolerance) == width {
          bottom -= 1
          if bottom % 64 == 0, Task.isCancelled { throw .cancelled }
        }
        var left = width
        var right = 0
        for row in top..<bottom {
          if row % 64 == 0, Task.isCancelled { throw .cancelled }
          let line = pixels + 4 * row * width
          left = cpx_first_different(line, left, key, tolerance)
          right += cpx_end_of_different(line + 4 * right, width - right, key, tolerance)
        }
        return PixelRectangle(left: left, top: top, right: right, bottom: bottom, in: bitmap.size)
      }
    }

    private func check() throws(ImagingError) {
      guard 0...255 ~= tolerance else {
        throw .invalidParameter(name: "trim", reason: "tolerance is 0 to 255, not \(tolerance)")
      }
      guard padding >= 0 else {
        throw .invalidParameter(name: "trim", reason: "padding is 0 or more pixels, not \(padding)")
      }
    }
  }
}

extension ImageTransform {
  /// Crops edges that have the colour of the upper left pixel, or `color`.
  public static func trim(color: PixelColor? = nil, tolerance: Int = 10, padding: Int = 0) -> ImageTransform {
    ImageTransform(Transforms.Trim(color: color, tolerance: tolerance, padding: padding))
  }
}

extension Transforms.Trim {
  /// `true`: the edges depend on the pixels.
  public var isContentDependent: Bool { true }

  /// Returns the crop that removes the edges of `bitmap`.
  public func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming] {
    let kept = try keptRectangle(of: bitmap.converted(to: .rgba8))
    return [Transforms.Crop(.pixels(x: kept.x, y: kept.y, width: kept.size.width, height: kept.size.height))]
  }
}
