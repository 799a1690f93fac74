extension ProcessingStage {
  /// How an image is fitted into a size.
  public enum ResizingType: String, Hashable, Sendable, CaseIterable {
    /// Within the size.
    case fit
    /// Covering the size; the rest is cut off.
    case fill
    /// As ``fill``; if the image is too small, it is cut to the proportions of the size.
    case fillDown = "fill-down"
    /// To the size, without regard to the proportions.
    case force
    /// ``fill`` if image and size are both upright or both lying, else ``fit``.
    case auto
  }

  /// A kernel of resampling.
  public enum ResizingAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// The nearest pixel.
    case nearest
    /// Linear.
    case linear
    /// Cubic.
    case cubic
    /// Lanczos with two lobes.
    case lanczos2
    /// Lanczos with three lobes.
    case lanczos3
  }

  /// Factors of a size, greater than 0.
  public struct Zoom: Hashable, Sendable {
    /// Factor of the width.
    public var x: Double
    /// Factor of the height.
    public var y: Double

    /// Both factors.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// The extension of an image that is smaller than the size.
  public struct Extend: Hashable, Sendable {
    /// Whether it takes place.
    public var isEnabled: Bool
    /// Where the image lies; default the centre. Neither ``Gravity/Kind/smart`` nor objects.
    public var gravity: Gravity?

    /// An extension.
    public init(_ isEnabled: Bool = true, gravity: Gravity? = nil) {
      self.isEnabled = isEnabled
      self.gravity = gravity
    }
  }

  /// A part of the source.
  public struct Crop: Hashable, Sendable {
    /// Width: pixels from 1, a share of the source below, 0 for all of it.
    public var width: Double
    /// Height, likewise.
    public var height: Double
    /// Where the part lies; default the gravity of the stage.
    public var gravity: Gravity?

    /// A part of the source.
    public init(width: Double, height: Double = 0, gravity: Gravity? = nil) {
      self.width = width
      self.height = height
      self.gravity = gravity
    }
  }

  /// Proportions that a crop is corrected to.
  public struct CropAspectRatio: Hashable, Sendable {
    /// Width divided by height; 0 for no correction.
    public var ratio: Double
    /// Whether the part grows instead of shrinking; default false.
    public var enlarges: Bool?

    /// Proportions of a crop.
    public init(_ ratio: Double, enlarges: Bool? = nil) {
      self.ratio = ratio
      self.enlarges = enlarges
    }
  }

  /// The removal of a uniform border.
  public struct Trim: Hashable, Sendable {
    /// Greatest difference to the colour of the border; `nil` switches it off.
    public var threshold: Double?
    /// Colour of the border; `nil` for that of the first pixel. Magenta cuts transparent borders.
    public var color: RGBColor?
    /// Whether left and right lose as much as the smaller of both; default false.
    public var isEqualHorizontally: Bool?
    /// Whether top and bottom do; default false.
    public var isEqualVertically: Bool?

    /// A removal.
    public init(
      threshold: Double?, color: RGBColor? = nil, isEqualHorizontally: Bool? = nil,
      isEqualVertically: Bool? = nil
    ) {
      self.threshold = threshold
      self.color = color
      self.isEqualHorizontally = isEqualHorizontally
      self.isEqualVertically = isEqualVertically
    }
  }

  /// Space around an image in pixels, 0 or more.
  public struct Padding: Hashable, Sendable {
    /// Space above.
    public var top: Int
    /// Space to the right.
    public var right: Int
    /// Space below.
    public var bottom: Int
    /// Space to the left.
    public var left: Int

    /// Space on each side.
    public init(top: Int = 0, right: Int = 0, bottom: Int = 0, left: Int = 0) {
      self.top = top
      self.right = right
      self.bottom = bottom
      self.left = left
    }
  }

  /// Mirroring after rotation.
  public struct Flip: Hashable, Sendable {
    /// Whether left and right are exchanged; default false.
    public var horizontally: Bool?
    /// Whether top and bottom are; default false.
    public var vertically: Bool?

    /// Mirroring.
    public init(horizontally: Bool? = nil, vertically: Bool? = nil) {
      self.horizontally = horizontally
      self.vertically = vertically
    }
  }
}
