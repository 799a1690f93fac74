import CPixels

extension Transforms {
  /// A step that adds padding around a picture.
  public struct Pad: ImageTransforming, Hashable, Sendable {
    /// The contents of the padding.
    public enum Fill: Hashable, Sendable {
      /// A colour.
      case color(PixelColor)
      /// The outermost pixels, repeated.
      case `repeat`
      /// The picture mirrored at its edges; the outermost pixels are doubled.
      case mirror
    }

    /// The padding above the picture, in pixels.
    public var top: Int
    /// The padding to the left of it, in pixels.
    public var left: Int
    /// The padding below it, in pixels.
    public var bottom: Int
    /// The padding to the right of it, in pixels.
    public var right: Int
    /// The contents of the padding.
    public var fill: Fill

    /// Creates the step.
    public init(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, fill: Fill = .color(.clear)) {
      self.top = top
      self.left = left
      self.bottom = bottom
      self.right = right
      self.fill = fill
    }

    /// Parses `10`, or `top=1,left=2,bottom=3,right=4` with 0 for omitted sides; then `fill=ffffff`, `fill=repeat` or
    /// `fill=mirror`.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      let all = try arguments.integer("all") ?? 0
      func side(_ key: String) throws(ImagingError) -> Int {
        try arguments.named(key, "a whole number") { Int($0) } ?? all
      }
      top = try side("top")
      left = try side("left")
      bottom = try side("bottom")
      right = try side("right")
      fill =
        try arguments.named("fill", "repeat, mirror or a colour such as ff8000, ff800080 or white") { text in
          switch text {
          case "repeat": .repeat
          case "mirror": .mirror
          default: PixelColor(text).map { .color($0) }
          }
        } ?? .color(.clear)
      try arguments.finish()
      try check()
    }

    /// `pad:10`, `pad:top=1,left=2,bottom=3,right=4,fill=mirror`.
    public var identity: String {
      let isEven = top == left && top == bottom && top == right
      let room = isEven ? "\(top)" : "top=\(top),left=\(left),bottom=\(bottom),right=\(right)"
      return switch fill {
      case .color(.clear): "pad:\(room)"
      case .color(let color): "pad:\(room),fill=\(color.hex)"
      case .repeat: "pad:\(room),fill=repeat"
      case .mirror: "pad:\(room),fill=mirror"
      }
    }

    /// Returns the picture with its padding; the picture itself if there is none.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for negative numbers of pixels, and for results of more
    ///   than 400 million pixels; ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      if top == 0, left == 0, bottom == 0, right == 0 { return bitmap }
      // The sums cannot overflow: each side is at most 2^31 - 1.
      let size = PixelSize(width: left + bitmap.width + right, height: top + bitmap.height + bottom)
      try size.checkResult(of: "pad")
      var pad = cpx_pad()
      pad.width = bitmap.width
      pad.height = bitmap.height
      pad.left = left
      pad.top = top
      pad.target_width = size.width
      var isOpaque = bitmap.isOpaque
      switch fill {
      case .color(let color):
        pad.edge = CPX_EDGE_COLOR
        pad.color = (color.red, color.green, color.blue, color.alpha)
        isOpaque = isOpaque && color.alpha == 255
      case .repeat: pad.edge = CPX_EDGE_REPEAT
      case .mirror: pad.edge = CPX_EDGE_MIRROR
      }
      return try bitmap.mapRows(to: size, isOpaque: isOpaque) { source, target, rows in
        var pad = pad
        pad.source = source
        pad.target = target
        cpx_pad_rows(&pad, rows.lowerBound, rows.upperBound)
      }
    }

    private func check() throws(ImagingError) {
      for (name, pixels) in [("top", top), ("left", left), ("bottom", bottom), ("right", right)] {
        guard 0...Int(Int32.max) ~= pixels else {
          throw .invalidParameter(name: "pad", reason: "\(name) is 0 to \(Int32.max) pixels, not \(pixels)")
        }
      }
    }
  }
}

extension ImageTransform {
  /// Adds padding around the picture.
  public static func pad(
    top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, fill: Transforms.Pad.Fill = .color(.clear)
  ) -> ImageTransform {
    ImageTransform(Transforms.Pad(top: top, left: left, bottom: bottom, right: right, fill: fill))
  }
}
