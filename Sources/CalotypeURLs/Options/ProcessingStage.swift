/// The options of one pipeline: those that change pixels. `nil` is an option that was not given.
///
/// Names, ranges and defaults are those of imgproxy ("Processing options"); a default is the value of a server without a preset or
/// setting of its own does.
public struct ProcessingStage: Hashable, Sendable {
  /// How the image is fitted into `width` and `height`; default ``ResizingType/fit``.
  public var resizingType: ResizingType?
  /// Kernel of the resampling; default Lanczos 3 (Pro).
  public var resizingAlgorithm: ResizingAlgorithm?
  /// Width in pixels; default 0: from the height and the proportions.
  public var width: Int?
  /// Height in pixels; default 0: from the width and the proportions.
  public var height: Int?
  /// Smallest width in pixels; default 0.
  public var minWidth: Int?
  /// Smallest height in pixels; default 0.
  public var minHeight: Int?
  /// Factors of the size; default 1.
  public var zoom: Zoom?
  /// Device pixel ratio, greater than 0, which also multiplies offsets and paddings; default 1.
  public var dpr: Double?
  /// Whether small images are enlarged; default false.
  public var enlarges: Bool?
  /// Extension to the whole size; default off.
  public var extend: Extend?
  /// Extension to the proportions of the size; default off.
  public var extendAspectRatio: Extend?
  /// The part that is kept where something is cut off; default the centre.
  public var gravity: Gravity?
  /// Part of the source that is used; default all of it.
  public var crop: Crop?
  /// Proportions of that part (Pro); default as it is.
  public var cropAspectRatio: CropAspectRatio?
  /// Removal of a uniform border; default off.
  public var trim: Trim?
  /// Space around the result, in pixels; default none.
  public var padding: Padding?

  /// Whether EXIF orientation is applied; the server decides if it is not given.
  public var autoRotates: Bool?
  /// Rotation clockwise in degrees, one of 0, 90, 180 and 270; default 0.
  public var rotation: Int?
  /// Mirroring; default none.
  public var flip: Flip?

  /// The colour beneath the image; default none.
  public var background: Background?
  /// Opacity of the background, 0 to 1; default 1 (Pro).
  public var backgroundAlpha: Double?
  /// Added to the channels, −255 to 255; default 0 (Pro).
  public var brightness: Int?
  /// Factor of the contrast, 0 or more; default 1 (Pro).
  public var contrast: Double?
  /// Factor of the saturation, 0 or more; default 1 (Pro).
  public var saturation: Double?
  /// One tint; default off (Pro).
  public var monochrome: Monochrome?
  /// Two tints; default off (Pro).
  public var duotone: Duotone?
  /// A colour over the image; default off (Pro).
  public var colorize: Colorize?
  /// A gradient over the image; default off (Pro).
  public var gradient: Gradient?

  /// Standard deviation of a Gaussian blur in pixels, 0 or more; default 0.
  public var blur: Double?
  /// Standard deviation of sharpening in pixels, 0 or more; default 0.
  public var sharpen: Double?
  /// Side of the pixels of a mosaic, 0 or more; default 0.
  public var pixelate: Int?
  /// Unsharp masking; the server decides if it is not given (Pro).
  public var unsharpMasking: UnsharpMasking?
  /// Blurred rectangles; default none (Pro).
  public var blurAreas: BlurAreas?
  /// A blur that grows across the image; default off (Pro).
  public var progressiveBlur: ProgressiveBlur?

  /// The watermark of the server; default none.
  public var watermark: Watermark?
  /// URL of an image as watermark (Pro).
  public var watermarkURL: String?
  /// Text as watermark, with Pango markup (Pro).
  public var watermarkText: String?
  /// Box of the watermark; default its own size (Pro).
  public var watermarkSize: WatermarkSize?
  /// Rotation of the watermark clockwise in degrees; default 0 (Pro).
  public var watermarkRotation: Double?
  /// Standard deviation of the watermark's shadow; default off (Pro).
  public var watermarkShadow: Double?

  /// A stage that changes nothing.
  public init() {}
}
