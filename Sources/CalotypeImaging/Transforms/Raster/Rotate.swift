import CPixels

extension Transforms {
  /// A rotation of a picture about its centre, counter-clockwise.
  ///
  /// Multiples of 90 degrees only move pixels. Other angles are sampled with the background outside the picture, which
  /// makes the edges smooth. Transparent pixels of the picture stay transparent.
  public struct Rotate: ImageTransforming, Hashable, Sendable {
    /// The interpolation between pixels.
    public enum Sampling: String, Hashable, Sendable, CaseIterable {
      /// Interpolates four neighbours. Fast and a little soft.
      case bilinear
      /// Interpolates sixteen neighbours by the Catmull-Rom spline: the cubic of Keys 1981 with a = -½.
      case bicubic
    }

    /// The angle in degrees, counter-clockwise; any finite number.
    public var degrees: Double
    /// A Boolean value that indicates whether the result has the size of the rotated picture; otherwise it has that of
    /// the picture, and the corners are cropped.
    public var fitsSize: Bool
    /// The colour outside the picture.
    public var background: PixelColor
    /// The interpolation between pixels.
    public var sampling: Sampling

    /// Creates the step.
    public init(
      degrees: Double, fitsSize: Bool = true, background: PixelColor = .clear, sampling: Sampling = .bicubic
    ) {
      self.degrees = degrees
      self.fitsSize = fitsSize
      self.background = background
      self.sampling = sampling
    }

    /// Parses `12.5,fits=false,background=ffffff,sampling=bilinear`; only the degrees are required.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      degrees = try arguments.required(arguments.number("degrees"), "degrees")
      fitsSize = try arguments.flag("fits") ?? true
      background = try arguments.color("background") ?? .clear
      sampling = try arguments.choice("sampling") ?? .bicubic
      try arguments.finish()
      try check()
    }

    /// `rotate:90`, `rotate:12.5,fits=false,background=ffffff,sampling=bilinear`.
    public var identity: String {
      "rotate:\(degrees.spelling)" + (fitsSize ? "" : ",fits=false")
        + (background == .clear ? "" : ",background=\(background.hex)")
        + (sampling == .bicubic ? "" : ",sampling=\(sampling.rawValue)")
    }

    /// Returns the rotated picture; the picture itself for multiples of 360 degrees.
    ///
    /// Sides of the result are rounded up, so that nothing is cropped.
    ///
    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for an angle that is not finite, and for results of more
    ///   than 400 million pixels; ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try check()
      let bitmap = try bitmap.converted(to: .rgba8)
      let angle = Angle(degrees: degrees)
      if let turns = angle.quarterTurns { return try turned(bitmap, turns) }
      let size = fitsSize ? angle.bounds(of: bitmap.size) : bitmap.size
      try size.checkResult(of: "rotate")
      // The vector from the centre of the result's first pixel to its centre, rotated back.
      let across = 0.5 - Double(size.width) / 2
      let down = 0.5 - Double(size.height) / 2
      var rotation = cpx_rotation()
      rotation.width = bitmap.width
      rotation.height = bitmap.height
      rotation.target_width = size.width
      rotation.step_x = Self.fixed(angle.cosine)
      rotation.step_y = Self.fixed(angle.sine)
      rotation.x = Self.fixed(across * angle.cosine - down * angle.sine + Double(bitmap.width) / 2 - 0.5)
      rotation.y = Self.fixed(across * angle.sine + down * angle.cosine + Double(bitmap.height) / 2 - 0.5)
      let alpha = Float(background.alpha)
      func weighed(_ sample: UInt8) -> Float { Float(sample) * alpha / 255 }
      rotation.background = (
        weighed(background.red), weighed(background.green), weighed(background.blue), alpha
      )
      rotation.opaque = bitmap.isOpaque ? 1 : 0
      rotation.bicubic = sampling == .bicubic ? 1 : 0
      let isOpaque = bitmap.isOpaque && background.alpha == 255
      return try bitmap.mapRows(to: size, costPerPixel: 12, isOpaque: isOpaque) { source, target, rows in
        var rotation = rotation
        rotation.source = source
        rotation.target = target
        cpx_rotate_rows(&rotation, rows.lowerBound, rows.upperBound)
      }
    }

    /// Returns the picture after a number of quarter turns.
    private func turned(_ bitmap: Bitmap, _ turns: Int) throws(ImagingError) -> Bitmap {
      let orientations: [Orientation] = [.topLeft, .leftBottom, .bottomRight, .rightTop]
      let turned = try bitmap.oriented(orientations[turns])
      if fitsSize || turned.size == bitmap.size { return turned }
      try bitmap.size.checkResult(of: "rotate")
      // One side is longer than the canvas, the other shorter.
      let cut = try Crop(.box(width: bitmap.width, height: bitmap.height)).apply(to: turned)
      let room = Anchor.center.origin(of: cut.size, in: bitmap.size)
      return try Pad(
        top: room.y, left: room.x, bottom: bitmap.height - cut.height - room.y,
        right: bitmap.width - cut.width - room.x, fill: .color(background)
      ).apply(to: cut)
    }

    /// Returns a position with 32 fraction bits. Positions are far from the limits of `Int64`: a rotated picture whose
    /// side is longer than 2^30 pixels exceeds the limit of pixels.
    private static func fixed(_ value: Double) -> Int64 { Int64((value * 4_294_967_296).rounded()) }

    private func check() throws(ImagingError) {
      guard degrees.isFinite else {
        throw .invalidParameter(name: "rotate", reason: "degrees are a finite number, not \(degrees)")
      }
    }
  }
}

/// An angle with its sine and cosine.
private struct Angle {
  /// 0 to 3 for multiples of 90 degrees.
  let quarterTurns: Int?
  let sine: Double
  let cosine: Double

  /// Computes the series after exact reduction to ±45 degrees: libraries differ in the last bit between processors.
  init(degrees: Double) {
    let reduced = degrees.truncatingRemainder(dividingBy: 360)
    let quarters = (reduced / 90).rounded()
    let rest = (reduced - 90 * quarters) * .pi / 180
    let turns = Int(quarters) & 3
    quarterTurns = rest == 0 ? turns : nil
    var terms = (sine: rest, cosine: 1.0)
    var sums = terms
    for n in 1...9 {
      let n = Double(2 * n)
      terms.cosine *= -rest * rest / (n * (n - 1))
      terms.sine *= -rest * rest / (n * (n + 1))
      sums.cosine += terms.cosine
      sums.sine += terms.sine
    }
    (sine, cosine) =
      switch turns {
      case 0: (sums.sine, sums.cosine)
      case 1: (sums.cosine, -sums.sine)
      case 2: (-sums.sine, -sums.cosine)
      default: (-sums.cosine, sums.sine)
      }
  }

  /// Returns the smallest size that contains a rotated picture.
  func bounds(of size: PixelSize) -> PixelSize {
    let width = Double(size.width)
    let height = Double(size.height)
    // A smaller excess is invisible.
    func side(_ length: Double) -> Int { max(1, Int((length - 1e-3).rounded(.up))) }
    return PixelSize(
      width: side(width * abs(cosine) + height * abs(sine)),
      height: side(width * abs(sine) + height * abs(cosine)))
  }
}

extension ImageTransform {
  /// Rotates the picture counter-clockwise.
  public static func rotate(
    degrees: Double, fitsSize: Bool = true, background: PixelColor = .clear,
    sampling: Transforms.Rotate.Sampling = .bicubic
  ) -> ImageTransform {
    ImageTransform(
      Transforms.Rotate(degrees: degrees, fitsSize: fitsSize, background: background, sampling: sampling))
  }
}

extension Transforms.Rotate {
  /// Returns one rotation for two; `nil` unless both are quarter turns, which only move pixels.
  public func followed(by next: any ImageTransforming) -> [any ImageTransforming]? {
    guard let next = next as? Transforms.Rotate, fitsSize, next.fitsSize,
      degrees.truncatingRemainder(dividingBy: 90) == 0,
      next.degrees.truncatingRemainder(dividingBy: 90) == 0
    else { return nil }
    let quarters =
      (degrees.truncatingRemainder(dividingBy: 360) + next.degrees.truncatingRemainder(dividingBy: 360))
      .truncatingRemainder(dividingBy: 360)
    return quarters == 0 ? [] : [Transforms.Rotate(degrees: quarters < 0 ? quarters + 360 : quarters)]
  }
}
