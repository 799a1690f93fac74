import CPixels

extension Transforms {
  /// A composition of an image, such as a watermark, over a picture.
  public struct Overlay: ImageTransforming, Hashable, Sendable {
    /// The image to composite over the picture: sRGB, straight alpha.
    public var image: Bitmap
    /// The name of ``image`` in ``identity``. It must be unique: together with the image's size it represents its
    /// pixels in caches. Letters, digits, `.`, `-`, `_` and `/`; a digest of the file is suitable.
    public var id: String
    /// The position of the image.
    public var anchor: Anchor
    /// The offset from the anchor's position in pixels: to the right, or to the left if negative.
    public var x: Int
    /// The offset from the anchor's position in pixels: downwards, or upwards if negative.
    public var y: Int
    /// The opacity: 0 is invisible, 1 changes nothing.
    public var opacity: Double
    /// The width of the image as a fraction of the picture's width, above 0; `nil` for its own size.
    public var scale: Double?
    /// The distance in pixels between copies that cover the picture; `nil` for one copy.
    public var tileGap: Int?

    /// Creates the step.
    public init(
      _ image: Bitmap, id: String, anchor: Anchor = .center, x: Int = 0, y: Int = 0, opacity: Double = 1,
      scale: Double? = nil, tileGap: Int? = nil
    ) {
      self.image = image
      self.id = id
      self.anchor = anchor
      self.x = x
      self.y = y
      self.opacity = opacity
      self.scale = scale
      self.tileGap = tileGap
    }

    /// Parses `anchor=bottomRight,x=-10,y=-10,opacity=0.5,scale=0.2,tile=10`, all of it optional, and accepts an `id`
    /// and a `size` before it if they are those of `image`.
    init(_ arguments: inout TransformArguments, image: Bitmap, id: String) throws(ImagingError) {
      if let text = arguments.option("id"), text != id {
        throw arguments.error("the image at hand is '\(id)', not '\(text)'")
      }
      if let text = arguments.option("size"), text != image.size.spelling {
        throw arguments.error("the image at hand has \(image.size.spelling) pixels, not '\(text)'")
      }
      self.image = image
      self.id = id
      anchor = try arguments.anchor("anchor") ?? .center
      x = try arguments.integer("x") ?? 0
      y = try arguments.integer("y") ?? 0
      opacity = try arguments.number("opacity") ?? 1
      scale = try arguments.number("scale")
      tileGap = try arguments.integer("tile")
      try arguments.finish()
      try check()
    }

    /// `overlay:id=logo,size=64x32,anchor=bottomRight,x=-10,y=-10,opacity=0.5,scale=0.2,tile=10`.
    public var identity: String {
      "overlay:id=\(id),size=\(image.size.spelling)" + (anchor == .center ? "" : ",anchor=\(anchor)")
        + (x == 0 ? "" : ",x=\(x)") + (y == 0 ? "" : ",y=\(y)")
        + (opacity == 1 ? "" : ",opacity=\(opacity.spelling)") + (scale.map { ",scale=\($0.spelling)" } ?? "")
        + (tileGap.map { ",tile=\($0)" } ?? "")
    }

    /// Hashes all properties except the pixels.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    /// Returns the picture with the image over it: source-over of Porter and Duff 1984, exact except for rounding to 8
    /// bits. Opacity has steps of 1/4096. Returns the picture itself if no part of the image is visible.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for an id with other characters, an anchor that reads
    ///   pixels, an opacity or scale out of range, an image scaled to more than 400 million pixels;
    ///   ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      let opacity = UInt32((opacity * 4096).rounded())
      if opacity == 0 { return bitmap }
      let image = try scaled(for: bitmap)
      var origin = anchor.origin(of: image.size, in: bitmap.size)
      origin.x += x
      origin.y += y
      let shows =
        origin.x < bitmap.width && origin.y < bitmap.height && origin.x + image.width > 0
        && origin.y + image.height > 0
      if tileGap == nil, !shows { return bitmap }
      var overlay = cpx_overlay()
      overlay.width = bitmap.width
      overlay.overlay_width = image.width
      overlay.overlay_height = image.height
      overlay.x = Int64(origin.x)
      overlay.y = Int64(origin.y)
      overlay.opacity = opacity
      if let tileGap {
        overlay.period_x = Int64(image.width + tileGap)
        overlay.period_y = Int64(image.height + tileGap)
      }
      return try image.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(ImagingError) in
        overlay.overlay = bytes.bindMemory(to: UInt8.self).baseAddress
        return try bitmap.mapRows(to: bitmap.size, costPerPixel: 4, isOpaque: bitmap.isOpaque) {
          source, target, rows in
          var overlay = overlay
          overlay.source = source
          overlay.target = target
          cpx_overlay_rows(&overlay, rows.lowerBound, rows.upperBound)
        }
      }
    }

    /// Returns the image at its size in this picture.
    private func scaled(for bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      let image = try image.converted(to: .rgba8)
      guard let scale else { return image }
      // Both are limited below sizes that are refused anyway, so that they fit an `Int`.
      let width = min(max(1, (scale * Double(bitmap.width)).rounded()), 1e10)
      let height = min(max(1, (width * Double(image.height) / Double(image.width)).rounded()), 1e10)
      let size = PixelSize(width: Int(width), height: Int(height))
      try size.checkResult(of: "overlay")
      return try image.resampled(to: size)
    }

    private func check() throws(ImagingError) {
      func fail(_ reason: String) -> ImagingError { .invalidParameter(name: "overlay", reason: reason) }
      let isPlain = id.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: "/"):
          true
        default: false
        }
      }
      guard isPlain, !id.isEmpty else {
        throw fail("an id has letters, digits, '.', '-', '_' and '/', at least one; not '\(id)'")
      }
      try anchor.check("overlay", isCut: false)
      let offsets = -Int(Int32.max)...Int(Int32.max)
      guard offsets ~= x, offsets ~= y else {
        throw fail("x and y are at most \(Int32.max) pixels to either side, not \(x) and \(y)")
      }
      guard 0...1 ~= opacity else { throw fail("opacity is 0 to 1, not \(opacity)") }
      if let scale {
        guard scale > 0, scale.isFinite else { throw fail("scale is a number above 0, not \(scale)") }
      }
      if let tileGap {
        guard 0...Int(Int32.max) ~= tileGap else {
          throw fail("the gap of tiles is 0 to \(Int32.max) pixels, not \(tileGap)")
        }
      }
    }
  }
}

extension ImageTransform {
  /// Composites an image over the picture. Two images must not share an id: see ``Transforms/Overlay/id``.
  public static func overlay(
    _ image: Bitmap, id: String, anchor: Anchor = .center, x: Int = 0, y: Int = 0, opacity: Double = 1,
    scale: Double? = nil, tileGap: Int? = nil
  ) -> ImageTransform {
    ImageTransform(
      Transforms.Overlay(
        image, id: id, anchor: anchor, x: x, y: y, opacity: opacity, scale: scale, tileGap: tileGap))
  }
}
