extension ProcessingStage {
  /// The colour beneath an image.
  public enum Background: Hashable, Sendable {
    /// Nothing, also if a preset has a colour.
    case off
    /// A colour.
    case color(RGBColor)
  }

  /// A mix with a picture of one tint.
  public struct Monochrome: Hashable, Sendable {
    /// Share of that picture, 0 to 1.
    public var intensity: Double
    /// The tint; default `b3b3b3`.
    public var color: RGBColor?

    /// A mix.
    public init(_ intensity: Double, color: RGBColor? = nil) {
      self.intensity = intensity
      self.color = color
    }
  }

  /// A mix with a picture of two tints.
  public struct Duotone: Hashable, Sendable {
    /// Share of that picture, 0 to 1.
    public var intensity: Double
    /// Tint of dark parts; default black.
    public var dark: RGBColor?
    /// Tint of light parts; default white.
    public var light: RGBColor?

    /// A mix.
    public init(_ intensity: Double, dark: RGBColor? = nil, light: RGBColor? = nil) {
      self.intensity = intensity
      self.dark = dark
      self.light = light
    }
  }

  /// A colour over an image.
  public struct Colorize: Hashable, Sendable {
    /// Opacity of the colour, 0 to 1.
    public var opacity: Double
    /// The colour; default black.
    public var color: RGBColor?
    /// Whether transparent parts stay so; default false.
    public var keepsAlpha: Bool?

    /// A colour.
    public init(_ opacity: Double, color: RGBColor? = nil, keepsAlpha: Bool? = nil) {
      self.opacity = opacity
      self.color = color
      self.keepsAlpha = keepsAlpha
    }
  }

  /// Where a gradient or a progressive blur grows to.
  public enum Direction: Hashable, Sendable {
    /// To the bottom.
    case down
    /// To the top.
    case up
    /// To the left.
    case left
    /// To the right.
    case right
    /// Degrees clockwise, of which 0 is down and 90 is left.
    case degrees(Double)
  }

  /// A transition from transparency to a colour over an image.
  public struct Gradient: Hashable, Sendable {
    /// Opacity at the end, 0 to 1.
    public var opacity: Double
    /// The colour; default black.
    public var color: RGBColor?
    /// The direction; default down.
    public var direction: Direction?
    /// Where it begins, a share of the side; default 0.
    public var start: Double?
    /// Where it ends, a share of the side; default 1.
    public var stop: Double?

    /// A transition.
    public init(
      _ opacity: Double, color: RGBColor? = nil, direction: Direction? = nil, start: Double? = nil,
      stop: Double? = nil
    ) {
      self.opacity = opacity
      self.color = color
      self.direction = direction
      self.start = start
      self.stop = stop
    }
  }

  /// Unsharp masking.
  public struct UnsharpMasking: Hashable, Sendable {
    /// When it is applied.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
      /// If the image was shrunk, and is not sharpened.
      case auto
      /// Never.
      case none
      /// Always.
      case always
    }

    /// When it is applied; default ``Mode/auto``.
    public var mode: Mode?
    /// Weight of the neighbours, greater than 0; default 1.
    public var weight: Double?
    /// The divisor of the strength, greater than 0; default 24.
    public var divider: Double?

    /// Unsharp masking.
    public init(mode: Mode? = nil, weight: Double? = nil, divider: Double? = nil) {
      self.mode = mode
      self.weight = weight
      self.divider = divider
    }
  }

  /// Blurred rectangles.
  public struct BlurAreas: Hashable, Sendable {
    /// A rectangle in shares of the source, each 0 to 1.
    public struct Area: Hashable, Sendable {
      /// Position of the left edge.
      public var left: Double
      /// Position of the upper edge.
      public var top: Double
      /// Width.
      public var width: Double
      /// Height.
      public var height: Double

      /// A rectangle.
      public init(left: Double, top: Double, width: Double, height: Double) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
      }
    }

    /// Standard deviation in pixels, 0 for none.
    public var sigma: Double
    /// The rectangles.
    public var areas: [Area]

    /// Blurred rectangles.
    public init(sigma: Double, areas: [Area]) {
      self.sigma = sigma
      self.areas = areas
    }
  }

  /// A blur that grows across an image.
  public struct ProgressiveBlur: Hashable, Sendable {
    /// Standard deviation at the end, in pixels.
    public var sigma: Double
    /// The direction; default down.
    public var direction: Direction?
    /// Where it begins, a share of the side; default 0.
    public var start: Double?
    /// Where it ends, a share of the side; default 1.
    public var stop: Double?

    /// A blur.
    public init(sigma: Double, direction: Direction? = nil, start: Double? = nil, stop: Double? = nil) {
      self.sigma = sigma
      self.direction = direction
      self.start = start
      self.stop = stop
    }
  }

  /// The watermark of a server on an image.
  public struct Watermark: Hashable, Sendable {
    /// Where a watermark lies.
    public enum Position: Hashable, Sendable {
      /// At an edge, in a corner or in the centre.
      case compass(Gravity.Compass)
      /// Side by side over the whole image (`re`).
      case tiled
      /// In the order of a chessboard (`ch`; Pro).
      case chessboard
    }

    /// Opacity, 0 to 1; 0 for none.
    public var opacity: Double
    /// Where it lies; default the centre.
    public var position: Position?
    /// Offset, or gap between tiles: pixels from 1 and to −1, else a share of the image; default 0.
    public var x: Double?
    /// Offset, or gap, likewise; default 0.
    public var y: Double?
    /// Size as a share of the image; 0, the default, for its own size.
    public var scale: Double?

    /// A watermark.
    public init(
      _ opacity: Double, position: Position? = nil, x: Double? = nil, y: Double? = nil, scale: Double? = nil
    ) {
      self.opacity = opacity
      self.position = position
      self.x = x
      self.y = y
      self.scale = scale
    }
  }

  /// The box of a watermark in pixels.
  public struct WatermarkSize: Hashable, Sendable {
    /// Width; 0 for that of the proportions.
    public var width: Int
    /// Height; 0 for that of the proportions.
    public var height: Int

    /// A box.
    public init(width: Int, height: Int = 0) {
      self.width = width
      self.height = height
    }
  }
}
