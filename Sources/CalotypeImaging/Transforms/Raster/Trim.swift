import CPixels

extension Transforms {
  /// A step that crops edges of one colour.
  public struct Trim: ImageTransforming, Hashable, Sendable {
    /// A corner of a picture.
    public enum Corner: String, Hashable, Sendable, CaseIterable {
      /// The first pixel of the first row.
      case topLeft
      /// The last pixel of the first row.
      case topRight
      /// The first pixel of the last row.
      case bottomLeft
      /// The last pixel of the last row.
      case bottomRight
    }

    /// The axes along which both margins that are cropped are equal: the smaller of both.
    public enum EqualMargins: String, Hashable, Sendable, CaseIterable {
      /// Each margin is cropped for itself.
      case separate
      /// Left and right are equal.
      case horizontal
      /// Top and bottom are equal.
      case vertical
      /// Left and right are equal, and top and bottom are.
      case both
    }

    /// The colour of the edges; `nil` for that of the pixel in ``corner``.
    public var color: PixelColor?
    /// The largest distance of a channel from the colour, 0 to 255. Colours are premultiplied for the comparison, so
    /// that all transparent pixels are equal, unless there is a ``ground``.
    public var tolerance: Double
    /// The margin around the remaining picture, in pixels, as far as the picture has them.
    public var padding: Int
    /// The opaque colour over which the picture and the colour of the edges are composited for the comparison alone, so
    /// that transparent pixels count as this colour; `nil` for none.
    public var ground: PixelColor?
    /// The corner whose pixel has the colour of the edges.
    public var corner: Corner
    /// The axes along which both margins are equal.
    public var equalMargins: EqualMargins

    /// Creates the step.
    public init(
      color: PixelColor? = nil, tolerance: Double = 10, padding: Int = 0, ground: PixelColor? = nil,
      corner: Corner = .topLeft, equalMargins: EqualMargins = .separate
    ) {
      self.color = color
      self.tolerance = tolerance
      self.padding = padding
      self.ground = ground
      self.corner = corner
      self.equalMargins = equalMargins
    }

    /// Parses `tolerance=10,color=ffffff,padding=0,ground=ff00ff,corner=topLeft,equal=both`, all of it optional, in this
    /// order without names.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      tolerance = try arguments.number("tolerance") ?? 10
      color = try arguments.color("color")
      padding = try arguments.integer("padding") ?? 0
      ground = try arguments.color("ground")
      corner = try arguments.choice("corner") ?? .topLeft
      equalMargins = try arguments.choice("equal") ?? .separate
      try arguments.finish()
      try check()
    }

    /// `trim:10`, `trim:10,color=ffffff,padding=4`.
    public var identity: String {
      "trim:\(tolerance.spelling)" + (color.map { ",color=\($0.hex)" } ?? "")
        + (padding == 0 ? "" : ",padding=\(padding)") + (ground.map { ",ground=\($0.hex)" } ?? "")
        + (corner == .topLeft ? "" : ",corner=\(corner.rawValue)")
        + (equalMargins == .separate ? "" : ",equal=\(equalMargins.rawValue)")
    }

    /// Returns the picture without its edges; the picture itself if there are none, or if it has only one colour.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a tolerance that is not 0 to 255, a negative
    ///   padding, or a ground that is not opaque; ``ImagingError/outOfMemory(byteCount:)``;
    ///   ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      return try bitmap.cropped(to: try keptRectangle(of: bitmap))
    }

    /// Returns the rectangle of an rgba8 picture to keep; all of it if it has one colour.
    func keptRectangle(of bitmap: Bitmap) throws(ImagingError) -> PixelRectangle {
      try check()
      let whole = PixelRectangle(x: 0, y: 0, size: bitmap.size)
      guard let content = try content(of: bitmap)?.widened(to: equalMargins, in: bitmap.size) else {
        return whole
      }
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
        var plain = plain(for: color ?? self.color(in: bytes, of: bitmap.size))
        // Rows are scanned from both ends, and then only the columns outside the bounds found so far.
        var top = 0
        while cpx_first_different(pixels + 4 * top * width, width, &plain) == width {
          top += 1
          if top == bitmap.height { return nil }
          if top % 64 == 0, Task.isCancelled { throw .cancelled }
        }
        var bottom = bitmap.height
        while cpx_first_different(pixels + 4 * (bottom - 1) * width, width, &plain) == width {
          bottom -= 1
          if bottom % 64 == 0, Task.isCancelled { throw .cancelled }
        }
        var left = width
        var right = 0
        for row in top..<bottom {
          if row % 64 == 0, Task.isCancelled { throw .cancelled }
          let line = pixels + 4 * row * width
          left = cpx_first_different(line, left, &plain)
          right += cpx_end_of_different(line + 4 * right, width - right, &plain)
        }
        return PixelRectangle(left: left, top: top, right: right, bottom: bottom, in: bitmap.size)
      }
    }

    /// Returns the colour of the pixel in the corner.
    private func color(in bytes: UnsafeRawBufferPointer, of size: PixelSize) -> PixelColor {
      let x = corner == .topLeft || corner == .bottomLeft ? 0 : size.width - 1
      let y = corner == .topLeft || corner == .topRight ? 0 : size.height - 1
      let first = 4 * (y * size.width + x)
      return PixelColor(
        red: bytes[first], green: bytes[first + 1], blue: bytes[first + 2], alpha: bytes[first + 3])
    }

    /// Returns the comparison with a colour. Differences of bytes are whole numbers, so that the fraction of the
    /// tolerance decides nothing.
    private func plain(for color: PixelColor) -> cpx_plain {
      var plain = cpx_plain()
      plain.tolerance = Int32(tolerance)
      var key = [color.red, color.green, color.blue, color.alpha]
      if let ground {
        plain.has_ground = 1
        plain.ground = (ground.red, ground.green, ground.blue, 255)
        var flat = key
        cpx_flatten(key, &flat, 1, [ground.red, ground.green, ground.blue, 255])
        key = flat
      }
      var weighed = [UInt8](repeating: 0, count: 4)
      cpx_weigh(key, &weighed)
      plain.key = (weighed[0], weighed[1], weighed[2], weighed[3])
      return plain
    }

    private func check() throws(ImagingError) {
      try tolerance.require(in: 0...255, "tolerance", of: "trim")
      guard ground?.alpha ?? 255 == 255 else {
        throw .invalidParameter(
          name: "trim", reason: "the ground is opaque, such as ff00ff, not \(ground?.hex ?? "")")
      }
      guard padding >= 0 else {
        throw .invalidParameter(name: "trim", reason: "padding is 0 or more pixels, not \(padding)")
      }
    }
  }
}

extension ImageTransform {
  /// Crops edges that have the colour of the pixel in a corner, or `color`.
  public static func trim(
    color: PixelColor? = nil, tolerance: Double = 10, padding: Int = 0, ground: PixelColor? = nil,
    corner: Transforms.Trim.Corner = .topLeft, equalMargins: Transforms.Trim.EqualMargins = .separate
  ) -> ImageTransform {
    ImageTransform(
      Transforms.Trim(
        color: color, tolerance: tolerance, padding: padding, ground: ground, corner: corner,
        equalMargins: equalMargins))
  }
}

extension PixelRectangle {
  /// Returns the rectangle with margins in a picture of `size` that are equal along some axes: the smaller of both.
  fileprivate func widened(to equal: Transforms.Trim.EqualMargins, in size: PixelSize) -> PixelRectangle {
    var result = self
    if equal == .horizontal || equal == .both {
      result.x = min(x, size.width - x - self.size.width)
      result.size.width = size.width - 2 * result.x
    }
    if equal == .vertical || equal == .both {
      result.y = min(y, size.height - y - self.size.height)
      result.size.height = size.height - 2 * result.y
    }
    return result
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
