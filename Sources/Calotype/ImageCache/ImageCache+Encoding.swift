public import CalotypeImaging

extension ImageCache {
  /// The form in which an ``ImageCache`` stores images that come without their encoded data.
  ///
  /// ```swift
  /// configuration.encoding = .always(.webpLossless)
  /// configuration.encoding = ImageCache.Encoding { $0.size.pixelCount < 10_000 ? .png : .webp(quality: 85) }
  /// ```
  public struct Encoding: Sendable {
    /// The properties of an image to encode.
    public struct Subject: Hashable, Sendable {
      /// The size in pixels.
      public let size: PixelSize
      /// Whether it has several frames.
      public let isAnimated: Bool
      /// Whether a pixel is transparent, at least in part. True for animations, whose frames are not examined.
      public let hasAlpha: Bool
      /// The format that the image was decoded from; `nil` if it was made in memory.
      public let sourceFormat: ImageFormat?
    }

    /// Returns the options for an image.
    let options: @Sendable (Subject) -> EncodeOptions

    /// Creates a rule. `options` is called on a thread of the cache.
    public init(_ options: @escaping @Sendable (Subject) -> EncodeOptions) {
      self.options = options
    }

    /// Animated WebP for an animation, PNG for an image with alpha, JPEG for any other; the lossy ones with quality 90.
    ///
    /// Animations become WebP rather than GIF because GIF has 256 colours in a frame, no partial transparency, and frame
    /// durations in hundredths of a second.
    public static let automatic = ImageCache.Encoding { subject in
      if subject.isAnimated { return .webp(quality: 90) }
      return subject.hasAlpha ? .png : .jpeg(quality: 90)
    }

    /// The same options for all images.
    public static func always(_ options: EncodeOptions) -> ImageCache.Encoding {
      ImageCache.Encoding { _ in options }
    }
  }
}

extension ImageCache.Encoding {
  /// Returns the options for a still image. O(pixels).
  ///
  /// - Throws: `ImagingError.outOfMemory`, `ImagingError.cancelled`.
  func options(for image: Image) throws(ImagingError) -> EncodeOptions {
    options(
      Subject(
        size: image.size, isAnimated: false, hasAlpha: try image.bitmap.hasTransparency(),
        sourceFormat: image.info?.format))
  }

  /// Returns the options for an animation.
  func options(forAnimationOf size: PixelSize) -> EncodeOptions {
    options(Subject(size: size, isAnimated: true, hasAlpha: true, sourceFormat: nil))
  }
}
