extension Transforms {
  /// A crop to a rectangle of a picture.
  public struct Crop: ImageTransforming, Hashable, Sendable {
    /// The rectangle to keep.
    public enum Area: Hashable, Sendable {
      /// A rectangle in pixels from the upper left corner. Parts outside the picture are ignored.
      case pixels(x: Int, y: Int, width: Int, height: Int)
      /// A rectangle in fractions of the picture's width and height. Parts outside are ignored; edges are rounded to
      /// whole pixels, and at least one is kept.
      case relative(x: Double, y: Double, width: Double, height: Double)
      /// A box of this size, positioned by the anchor; it is limited to the sides of the picture.
      case box(width: Int, height: Int, anchor: Anchor = .center)
    }

    /// The rectangle to keep.
    public var area: Area

    /// Creates the step.
    public init(_ area: Area) { self.area = area }

    /// Parses `x=10,y=20,width=300,height=200`, `relative,x=0.1,y=0,width=0.5,height=1` or `300x200,anchor=topLeft`.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      switch arguments.text("size") {
      case nil:
        let x = try arguments.integer("x") ?? 0
        let y = try arguments.integer("y") ?? 0
        let width = try arguments.required(arguments.integer("width"), "width")
        area = .pixels(
          x: x, y: y, width: width, height: try arguments.required(arguments.integer("height"), "height"))
      case "relative":
        let x = try arguments.number("x") ?? 0
        let y = try arguments.number("y") ?? 0
        let width = try arguments.number("width") ?? 1
        area = .relative(x: x, y: y, width: width, height: try arguments.number("height") ?? 1)
      case let text?:
        guard let size = PixelSize(spelling: text) else {
          throw arguments.error("size is 300x200 or relative, not '\(text)'")
        }
        area = .box(width: size.width, height: size.height, anchor: try arguments.anchor("anchor") ?? .center)
      }
      try arguments.finish()
      try check()
    }

    /// `crop:x=10,y=20,width=300,height=200`, `crop:relative,x=0.1,y=0,width=0.5,height=1` or
    /// `crop:300x200,anchor=topLeft`.
    public var identity: String {
      switch area {
      case .pixels(let x, let y, let width, let height):
        "crop:x=\(x),y=\(y),width=\(width),height=\(height)"
      case .relative(let x, let y, let width, let height):
        "crop:relative,x=\(x.spelling),y=\(y.spelling),width=\(width.spelling),height=\(height.spelling)"
      case .box(let width, let height, let anchor):
        "crop:\(width)x\(height)" + (anchor == .center ? "" : ",anchor=\(anchor)")
      }
    }

    /// Returns the part of the picture; the picture itself if that is all of it.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for an area that is empty, or does not overlap the
    ///   picture.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      guard let rectangle = try rectangle(in: bitmap) else {
        throw .invalidParameter(
          name: "crop", reason: "nothing of a picture of \(bitmap.size) lies in \(identity)")
      }
      return try bitmap.cropped(to: rectangle)
    }

    private func rectangle(in bitmap: Bitmap) throws(ImagingError) -> PixelRectangle? {
      let size = bitmap.size
      switch area {
      case .pixels(let x, let y, let width, let height):
        func end(_ start: Int, _ length: Int) -> Int {
          let (sum, overflow) = start.addingReportingOverflow(length)
          return overflow ? .max : sum
        }
        return PixelRectangle(left: x, top: y, right: end(x, width), bottom: end(y, height), in: size)
      case .relative(let x, let y, let width, let height):
        // Both edges are rounded alike, so that adjacent areas share no pixel and leave no gap.
        func edges(_ start: Double, _ length: Double, _ pixels: Int) -> (Int, Int) {
          func edge(_ share: Double) -> Int { Int((min(max(share, 0), 1) * Double(pixels)).rounded()) }
          let first = min(edge(start), pixels - 1)
          return (first, max(first + 1, edge(start + length)))
        }
        let (left, right) = edges(x, width, size.width)
        let (top, bottom) = edges(y, height, size.height)
        return PixelRectangle(left: left, top: top, right: right, bottom: bottom, in: size)
      case .box(let width, let height, let anchor):
        let box = PixelSize(width: min(width, size.width), height: min(height, size.height))
        let (x, y) = try anchor.origin(of: box, in: bitmap)
        return PixelRectangle(left: x, top: y, right: x + box.width, bottom: y + box.height, in: size)
      }
    }

    private func check() throws(ImagingError) {
      func fail(_ reason: String) -> ImagingError { .invalidParameter(name: "crop", reason: reason) }
      switch area {
      case .pixels(_, _, let width, let height):
        guard width > 0, height > 0 else {
          throw fail("width and height are at least 1, not \(width) and \(height)")
        }
      case .relative(let x, let y, let width, let height):
        guard 0..<1 ~= x, 0..<1 ~= y else {
          throw fail("x and y are at least 0 and below 1, not \(x) and \(y)")
        }
        guard width > 0, height > 0, width <= 1, height <= 1 else {
          throw fail("width and height are above 0 and at most 1, not \(width) and \(height)")
        }
      case .box(let width, let height, let anchor):
        guard width > 0, height > 0 else { throw fail("a box is at least 1x1, not \(width)x\(height)") }
        try anchor.check("crop", isCut: true)
      }
    }
  }
}

extension ImageTransform {
  /// Crops the picture to a rectangle.
  public static func crop(_ area: Transforms.Crop.Area) -> ImageTransform {
    ImageTransform(Transforms.Crop(area))
  }
}

extension Transforms.Crop {
  /// A Boolean value that indicates whether the anchor reads pixels.
  public var isContentDependent: Bool {
    if case .box(_, _, let anchor) = area { anchor.interest != nil } else { false }
  }

  /// Returns the crop that the anchor selects for `bitmap`.
  public func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming] {
    guard case .box(let width, let height, let anchor) = area, anchor.interest != nil else { return [self] }
    let size = PixelSize(width: min(width, bitmap.width), height: min(height, bitmap.height))
    let (x, y) = try anchor.origin(of: size, in: bitmap)
    return [Transforms.Crop(.pixels(x: x, y: y, width: size.width, height: size.height))]
  }

  /// Returns one crop for two; `nil` unless both are rectangles that begin in the picture.
  public func followed(by next: any ImageTransforming) -> [any ImageTransforming]? {
    guard let next = next as? Transforms.Crop,
      case .pixels(let x, let y, let width, let height) = area,
      case .pixels(let nextX, let nextY, let nextWidth, let nextHeight) = next.area,
      x >= 0, y >= 0, nextX >= 0, nextY >= 0, width > 0, height > 0, nextWidth > 0, nextHeight > 0,
      nextX < width, nextY < height, max(x, y, width, height, nextX, nextY) < Int(Int32.max)
    else { return nil }
    return [
      Transforms.Crop(
        .pixels(
          x: x + nextX, y: y + nextY, width: min(nextWidth, width - nextX),
          height: min(nextHeight, height - nextY)))
    ]
  }
}
