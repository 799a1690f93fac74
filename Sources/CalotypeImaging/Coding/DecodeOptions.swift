/// The options of a decode.
///
/// ``limits`` and ``transforms`` may be left open: a pipeline then takes those of its configuration, and all other decodes
/// take ``DecodeLimits/default`` and no transforms.
public struct DecodeOptions: Hashable, Sendable {
  /// The pixels to deliver.
  public enum Pixels: String, Hashable, Sendable {
    /// ``PixelFormat/rgba8`` for every source. 16-bit samples are rounded to 8.
    case rgba8
    /// The format of the source: ``PixelFormat/gray8`` for grey without transparency, ``PixelFormat/rgba16`` for more
    /// than 8 bits per sample, ``PixelFormat/rgba8`` otherwise. Not together with a thumbnail, or
    /// ``DecodeOptions/maxPixels``.
    case native
  }

  /// The treatment of colours.
  public enum Colors: String, Hashable, Sendable {
    /// Converted to sRGB by the embedded profile (ICC, code points; in PNG also gAMA and cHRM), relative colorimetric.
    /// ``DecodeOptions/toneMapping`` decides on high dynamic range.
    case sRGB
    /// Left as they are; ``Image/profile`` describes them. CMYK becomes RGB by the plain product.
    case asStored
  }

  /// The treatment of pictures of high dynamic range, whose curve is PQ or HLG.
  public enum ToneMapping: String, Hashable, Sendable {
    /// Converted to sRGB by ITU-R BT.2390: dark and middle tones keep their brightness, highlights are compressed so
    /// that the peak of the content becomes white, and hues are kept. The peak is that of the file
    /// (``ColorProfile/CodePoints/peakLuminance``), otherwise 1,000 cd/m².
    case sRGB
    /// Left as they are: the samples are those of the file, and ``Image/profile`` has their code points. Colours of
    /// standard range are converted all the same.
    case none
  }

  /// Limits on the input. ``DecodeLimits/default`` if none were set.
  public var limits: DecodeLimits {
    get { givenLimits ?? .default }
    set { givenLimits = newValue }
  }
  /// The limits that were set; `nil` leaves them open.
  package var givenLimits: DecodeLimits?
  /// Turns the picture upright by its Exif orientation. On by default.
  public var appliesOrientation: Bool
  /// Delivers the decoded part of an image whose data end early, instead of an error. The missing part is
  /// transparent, or grey in JPEG. Off by default, and without effect under ``DamagePolicy/strict``.
  public var allowsPartial: Bool
  /// The treatment of damaged data. ``DamagePolicy/tolerate`` by default.
  public var damage: DamagePolicy
  /// The size to shrink to while decoding. `nil` decodes at full size. A drawing is drawn at this size, also if it is larger
  /// than its own.
  public var thumbnail: Thumbnail?
  /// The largest number of pixels in the picture, of 4 bytes each; a larger one is shrunk while it is decoded, by
  /// ``PixelSize/shrunk(toPixelCount:)``. `nil`, the default, is no limit. Not together with ``Pixels/native``.
  ///
  /// It applies to the result of ``thumbnail``, or to the whole picture without one: if that has more pixels, its sides
  /// are shrunk in proportion, and crops are kept. It enlarges nothing. ``transforms`` come after it, and may
  /// enlarge. Unlike ``DecodeLimits/maxPixels``, it refuses nothing.
  public var maxPixels: Int?
  /// The page of a document, such as a TIFF, counted from 0. The first by default; a number beyond the pages is
  /// ``ImagingError/invalidParameter(name:reason:)``. ``ImageInfo/pageCount`` is the number of pages.
  public var page: Int
  /// The size at which a drawing, such as an SVG, is drawn if there is no ``thumbnail``. `nil`, the default, is its natural
  /// size at 96 dpi (``ImageInfo/size``). Without effect on pictures that have pixels of their own.
  public var vectorSize: VectorSize?
  /// The pixels to deliver. ``Pixels/rgba8`` by default.
  public var pixels: Pixels
  /// The treatment of colours. ``Colors/sRGB`` by default.
  public var colors: Colors
  /// The treatment of pictures of high dynamic range. ``ToneMapping/sRGB`` by default; without effect under
  /// ``Colors/asStored``, which converts nothing.
  public var toneMapping: ToneMapping
  /// The format to assume, if a decoder for it is registered, regardless of the signature.
  public var formatHint: ImageFormat?
  /// Delivers the Exif and XMP blocks with the image, for writing them again. Off by default.
  public var readsMetadata: Bool
  /// Options of a particular decoder, by the names that it documents. Other decoders ignore them.
  public var extras: [String: String] = [:]

  /// The transforms to apply at the end. A ``Transforms/Resize`` at the beginning is done while the picture is decoded,
  /// if there is no ``thumbnail``. None if none were set.
  public var transforms: TransformChain {
    get { givenTransforms ?? [] }
    set { givenTransforms = newValue }
  }
  /// The transforms that were set, possibly none; `nil` leaves them open.
  package var givenTransforms: TransformChain?
  /// The frames of an animation that ``transforms`` apply to. All by default.
  public var animationTransforms: AnimationTransforms

  /// The treatment of animations by transforms.
  public enum AnimationTransforms: String, Hashable, Sendable, CaseIterable {
    /// Transforms every frame alike: steps that depend on pixels are decided by the first frame.
    case everyFrame
    /// Transforms the first frame and drops all others.
    case firstFrame
    /// Leaves animations unchanged.
    case none
  }

  /// Creates options; parameters that are left out keep their defaults. A pipeline uses its own limits and transforms
  /// for a request that leaves them out.
  public init(
    limits: DecodeLimits? = nil, appliesOrientation: Bool = true, allowsPartial: Bool = false,
    damage: DamagePolicy = .tolerate, thumbnail: Thumbnail? = nil, maxPixels: Int? = nil,
    page: Int = 0, vectorSize: VectorSize? = nil, pixels: Pixels = .rgba8, colors: Colors = .sRGB,
    toneMapping: ToneMapping = .sRGB, formatHint: ImageFormat? = nil, readsMetadata: Bool = false,
    transforms: TransformChain? = nil, animationTransforms: AnimationTransforms = .everyFrame,
    extras: [String: String] = [:]
  ) {
    givenLimits = limits
    self.appliesOrientation = appliesOrientation
    self.allowsPartial = allowsPartial
    self.damage = damage
    self.thumbnail = thumbnail
    self.maxPixels = maxPixels
    self.page = page
    self.vectorSize = vectorSize
    self.pixels = pixels
    self.colors = colors
    self.toneMapping = toneMapping
    self.formatHint = formatHint
    self.readsMetadata = readsMetadata
    givenTransforms = transforms
    self.animationTransforms = animationTransforms
    self.extras = extras
  }

  /// Returns the smallest size, in stored axes, that a decoder may deliver for an image; for codecs that can shrink
  /// while they decode. `nil` asks for the full size.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a thumbnail without a side.
  public func minimumDecodeSize(for info: ImageInfo) throws(ImagingError) -> PixelSize? {
    // Decoders of HEIF choose among embedded thumbnails, which were shrunk by a better filter than that of boxes.
    guard info.format == .heif, let thumbnail = decodedThumbnail(for: info), !thumbnail.linearLight else {
      return try oversampledSize(for: info)
    }
    let orientation = appliesOrientation ? info.orientation : .topLeft
    let size = try thumbnail.scaledSize(sourceSize: info.size, orientation: orientation)
    return size.width >= info.size.width || size.height >= info.size.height ? nil : size
  }

  /// Returns the smallest size, in stored axes, that means of boxes of samples may have. `nil` asks for the full size.
  func oversampledSize(for info: ImageInfo) throws(ImagingError) -> PixelSize? {
    let orientation = appliesOrientation ? info.orientation : .topLeft
    return try decodedThumbnail(for: info)?.minimumDecodeSize(
      sourceSize: sourceSize(of: info), orientation: orientation)
  }

  /// Returns the transforms for a still picture, or for the frames of an animation.
  func transforms(for info: ImageInfo) -> TransformChain {
    info.frameCount > 1 && animationTransforms == .none ? [] : transforms
  }

  /// Returns the thumbnail to make while decoding: the requested one, or the resize at the beginning of the transforms,
  /// reduced to the limit of pixels.
  func decodedThumbnail(for info: ImageInfo) -> Thumbnail? {
    let thumbnail = thumbnail ?? transforms(for: info).thumbnail
    guard let maxPixels else { return thumbnail }
    let isDrawn = info.isVector && thumbnail == nil
    let stored = isDrawn ? vectorSize?.size(of: info.size) ?? info.size : info.size
    let size = appliesOrientation ? info.orientation.apply(to: stored) : stored
    return Thumbnail.limited(thumbnail, of: size, toPixelCount: maxPixels, enlarges: info.isVector)
  }

  /// Returns the options for the frames of an animation, with steps that depend on pixels decided by the first frame.
  ///
  /// - Parameter first: Decodes the first frame by other options. Only called if there is something to decide.
  func deciding(
    for info: ImageInfo, first: (DecodeOptions) throws(ImagingError) -> Bitmap
  ) throws(ImagingError) -> DecodeOptions {
    var decided = self
    decided.transforms = try transforms(for: info).resolved { () throws(ImagingError) in
      var plain = self
      plain.thumbnail = decodedThumbnail(for: info)
      plain.transforms = []
      return try first(plain)
    }
    return decided
  }
}
