public import CalotypeImaging

/// The pixels to decode.
public struct DecodePlan: Hashable, Sendable {
  /// A Boolean value that indicates whether the picture is turned upright by its Exif orientation.
  public var appliesOrientation = true
  /// The first page of a document, or frame of an animation, counted from 0.
  public var page = 0
  /// The number of pages or frames that are put one below the other.
  public var pages = 1
  /// The number of frames of the result; `nil` for a still picture.
  public var frames: Int?
  /// The size at which a drawing is drawn; `nil` for pictures with pixels of their own.
  public var drawnSize: PixelSize?
  /// The divisor by which a decoder may shrink the picture without loss to the result: 1, 2, 4 or 8. The rectangles of the
  /// operations are those of the full size all the same.
  public var divisor = 1
  /// A Boolean value that indicates whether the embedded thumbnail is used, of any size.
  public var usesEmbeddedThumbnail = false
  /// A Boolean value that indicates whether more than 8 bits are kept.
  public var keepsDepth = false
  /// A Boolean value that indicates whether colours are converted to sRGB.
  public var convertsToSRGB = true
  /// A Boolean value that indicates whether metadata are read.
  public var readsMetadata = false
  /// CSS that is added to a drawing.
  public var style: String?

  /// Creates a plan that decodes the first picture as it is.
  public init() {}
}
