/// A decoded picture with the information of its source.
public struct Image: Sendable {
  /// The pixels.
  public let bitmap: Bitmap
  /// The header of the encoded source; `nil` for pictures made in memory. Its sizes are those of the source.
  public var info: ImageInfo? { details.info }
  /// The orientation that ``bitmap`` still has: `.topLeft` unless it was decoded as stored.
  public var orientation: Orientation { details.orientation }
  /// A Boolean value that indicates whether part of the picture is missing because the data ended early.
  public var isPartial: Bool { details.isPartial }
  /// A Boolean value that indicates whether the data are damaged and some pixels were recovered or are missing:
  /// ``ImageInfo/isDamaged`` of ``info``.
  public var isDamaged: Bool { info?.isDamaged ?? false }
  /// The colour profile of the pixels; `nil` is sRGB.
  public var profile: ColorProfile? { details.profile }
  /// Exif and XMP of the source, if the options requested them.
  public var metadata: ImageMetadata { details.metadata }

  private let details: Details

  // An object, so that an image is a few words with two references.
  private final class Details: Sendable {
    let info: ImageInfo?
    let orientation: Orientation
    let isPartial: Bool
    let profile: ColorProfile?
    let metadata: ImageMetadata

    init(
      info: ImageInfo?, orientation: Orientation, isPartial: Bool, profile: ColorProfile?,
      metadata: ImageMetadata
    ) {
      self.info = info
      self.orientation = orientation
      self.isPartial = isPartial
      self.profile = profile
      self.metadata = metadata
    }
  }

  /// Creates an image.
  public init(
    bitmap: Bitmap, info: ImageInfo? = nil, orientation: Orientation = .topLeft, isPartial: Bool = false,
    profile: ColorProfile? = nil, metadata: ImageMetadata = ImageMetadata()
  ) {
    self.bitmap = bitmap
    details = Details(
      info: info, orientation: orientation, isPartial: isPartial, profile: profile, metadata: metadata)
  }

  /// The width and height in pixels.
  public var size: PixelSize { bitmap.size }
  /// The width in pixels.
  public var width: Int { bitmap.width }
  /// The height in pixels.
  public var height: Int { bitmap.height }
}
