import CPixels

extension Transforms {
  /// Turns a picture about its centre, counter-clockwise.
  ///
  /// Multiples of 90 degrees only move pixels. Other angles are sampled with what lies outside the picture taken for the
  /// background, which makes the edges smooth. Transparent pixels of the picture stay transparent.
  public struct Rotate: ImageTransforming, Hashable, Sendable {
    /// How pixels between pixels are made.
    public enum Sampling: String, Hashable, Sendable, CaseIterable {
      /// From four neighbours. Fast and a little soft.
      case bilinear
      /// From sixteen neighbours, by the Catmull-Rom spline: the cubic of Keys 1981 with a = -½.
      case bicubic
    }

    /// Degrees, counter-clockwise; any finite number.
    public var degrees: Double
    /// Whether the result is as large as the turned picture; otherwise it is as large as the picture, and the corners
    /// are cut off.
    public var fitsSize: Bool
    /// What shows beside the picture.
    public var background: PixelColor
    /// How pixels between pixels are made.
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

    /// Reads `12.5,fits=false,background=ffffff,sampling=bilinear`; only the degrees are needed.
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

    /// The turned picture; the picture itself for multiples of 360 degrees.
    ///
    /// Sides of the result are rounded up, so that nothing is cut off.
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
      // From the centre of the result's first pixel to its centre, turned back.
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

    /// The picture after so many quarter turns.
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

    /// A position with 32 fraction bits. Those of pictures that are turned are far from the ends of `Int64`: a picture
    /// that is longer than 2^30 pixels has, turned, more than are allowed.
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

  /// By the series, after exact reduction to ±45 degrees: libraries differ in the last bit between processors.
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

  /// The smallest size that holds a turned picture.
  func bounds(of size: PixelSize) -> PixelSize {
    let width = Double(size.width)
    let height = Double(size.height)
    // Less than this sticks out unseen.
    func side(_ length: Double) -> Int { max(1, Int((length - 1e-3).rounded(.up))) }
    return PixelSize(
      width: side(width * abs(cosine) + height * abs(sine)),
      height: side(width * abs(sine) + height * abs(cosine)))
  }
}

extension ImageTransform {
  /// Turns the picture counter-clockwise.
  public static func rotate(
    degrees: Double, fitsSize: Bool = true, background: PixelColor = .clear,
    sampling: Transforms.Rotate.Sampling = .bicubic
  ) -> ImageTransform {
    ImageTransform(
      Transforms.Rotate(degrees: degrees, fitsSize: fitsSize, background: background, sampling: sampling))
  }
}

extension Transforms.Rotate {
  /// One turn for two; `nil` unless both are quarter turns that move pixels only.
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
