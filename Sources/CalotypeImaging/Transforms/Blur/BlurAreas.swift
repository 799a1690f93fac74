import Glibc

extension Transforms {
  /// A Gaussian blur of rectangles; the rest of the picture stays.
  ///
  /// Each rectangle shows what a blur of the whole picture would show there, so that rectangles may overlap.
  public struct BlurAreas: ImageTransforming, Hashable, Sendable {
    /// A rectangle in pixels. Parts outside the picture do not count.
    public struct Area: Hashable, Sendable {
      /// The first column.
      public var x: Int
      /// The first row.
      public var y: Int
      /// The columns, at least 0.
      public var width: Int
      /// The rows, at least 0.
      public var height: Int

      /// Creates a rectangle.
      public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
      }

      /// Parses `x;y;width;height`.
      init?(_ text: String) {
        let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
          let height = numbers[3]
        else { return nil }
        self.init(x: x, y: y, width: width, height: height)
      }

      var spelling: String { "\(x);\(y);\(width);\(height)" }
    }

    /// The rectangles, at most 1000.
    public var areas: [Area]
    /// The standard deviation in pixels, from 0 (changes nothing) to 1000.
    public var sigma: Double

    /// Creates the step.
    public init(_ areas: [Area], sigma: Double) {
      self.areas = areas
      self.sigma = sigma
    }

    /// Parses the deviation and rectangles: `4,10;20;100;50,0;0;8;8`.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      sigma = try arguments.required(arguments.number("sigma"), "sigma")
      areas = []
      while let area = try arguments.value("area", "x;y;width;height in pixels", { Area($0) }) {
        areas.append(area)
      }
      try arguments.finish()
      try check()
    }

    /// `blurareas:4,10;20;100;50,0;0;8;8`.
    public var identity: String {
      "blurareas:\(sigma.spelling)" + areas.map { ",\($0.spelling)" }.joined()
    }

    /// Returns the picture with blurred rectangles; the picture itself if they are all outside it, or empty.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for more rectangles than 1000, one with a number of
    ///   2³¹ or more or with a negative side, a deviation out of its range; the errors of ``Transforms/GaussianBlur``.
    /// - Complexity: O(pixels of the rectangles and of their surroundings); never more than the blur of the picture.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      let rectangles = areas.compactMap { area in
        PixelRectangle(
          left: area.x, top: area.y, right: area.x + area.width, bottom: area.y + area.height,
          in: bitmap.size)
      }
      guard sigma > 0, !rectangles.isEmpty else { return bitmap }
      let windows = rectangles.map { window(around: $0, in: bitmap.size) }
      let work = windows.reduce(0) { $0 + $1.size.pixelCount }
      return try Bitmap(size: bitmap.size) { (target: UnsafeMutableRawBufferPointer) throws(ImagingError) in
        bitmap.withUnsafeBytes { target.copyMemory(from: $0) }
        if work >= bitmap.size.pixelCount {
          let blurred = try GaussianBlur(sigma: sigma).apply(to: bitmap)
          for rectangle in rectangles {
            try blurred.copy(
              to: rectangle, of: target, width: bitmap.width, from: PixelRectangle(bitmap.size))
          }
        } else {
          for (rectangle, window) in zip(rectangles, windows) {
            let blurred = try GaussianBlur(sigma: sigma).apply(to: bitmap.cropped(to: window))
            try blurred.copy(to: rectangle, of: target, width: bitmap.width, from: window)
          }
        }
        return bitmap.isOpaque
      }
    }

    /// Returns the pixels that the blur of a rectangle depends on.
    private func window(around rectangle: PixelRectangle, in size: PixelSize) -> PixelRectangle {
      let reach = Int((sigma * 3.5).rounded(.up)) + 2 * GaussianBlur.step(sigma: sigma)
      return PixelRectangle(
        left: rectangle.x - reach, top: rectangle.y - reach,
        right: rectangle.x + rectangle.size.width + reach,
        bottom: rectangle.y + rectangle.size.height + reach, in: size) ?? rectangle
    }

    private func check() throws(ImagingError) {
      try sigma.require(in: 0...1000, "sigma", of: "blurareas")
      func fail(_ reason: String) -> ImagingError { .invalidParameter(name: "blurareas", reason: reason) }
      guard areas.count <= 1000 else { throw fail("\(areas.count) areas are more than 1000") }
      let numbers = -Int(Int32.max)...Int(Int32.max)
      for area in areas {
        guard numbers ~= area.x, numbers ~= area.y, 0...Int(Int32.max) ~= area.width,
          0...Int(Int32.max) ~= area.height
        else { throw fail("an area is x;y;width;height, sides not below 0, not '\(area.spelling)'") }
      }
    }
  }
}

extension Bitmap {
  /// Copies a rectangle of the picture of which this one is `window`.
  fileprivate func copy(
    to rectangle: PixelRectangle, of target: UnsafeMutableRawBufferPointer, width: Int,
    from window: PixelRectangle
  ) throws(ImagingError) {
    let count = 4 * rectangle.size.width
    try withUnsafeBytes { (source: UnsafeRawBufferPointer) throws(ImagingError) in
      guard let from = source.baseAddress, let to = target.baseAddress else { return }
      for row in 0..<rectangle.size.height {
        if row % 1024 == 0, Task.isCancelled { throw .cancelled }
        let y = rectangle.y + row
        memcpy(
          to + 4 * (y * width + rectangle.x),
          from + 4 * ((y - window.y) * window.size.width + rectangle.x - window.x), count)
      }
    }
  }
}

extension ImageTransform {
  /// Blurs rectangles with a Gaussian of this standard deviation in pixels, from 0 to 1000.
  public static func blurAreas(_ areas: [Transforms.BlurAreas.Area], sigma: Double) -> ImageTransform {
    ImageTransform(Transforms.BlurAreas(areas, sigma: sigma))
  }
}
