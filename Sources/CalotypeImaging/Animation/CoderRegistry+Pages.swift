public import FoundationEssentials
import Glibc

extension CoderRegistry {
  /// Decodes pages of a document, or frames of an animation, one below the other, from left edge to left edge; beside
  /// narrower ones, the picture is transparent.
  ///
  /// The options apply to each page, except for their transforms, which apply to the whole. The result is
  /// ``PixelFormat/rgba8`` if there is more than one page; its info, profile and metadata are those of the first.
  /// Limits hold for the whole: ``DecodeLimits/maxPixels`` for the pixels of all pages, ``DecodeLimits/maxDuration`` for
  /// their time.
  ///
  /// - Parameters:
  ///   - data: The encoded image.
  ///   - pages: The pages or frames, counted from 0. ``DecodeOptions/page`` is ignored.
  ///   - options: The options.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for no pages, or pages that do not exist; the errors of
  ///   ``decode(_:options:)`` and of ``AnimatedImage/frame(at:)``.
  public func decode(
    _ data: Data, pages: Range<Int>, options: DecodeOptions = DecodeOptions()
  ) throws(ImagingError) -> Image {
    try options.check()
    let info = try decodableInfo(of: data, limits: options.limits, formatHint: options.formatHint)
    let count = max(1, info.pageCount, info.frameCount)
    guard !pages.isEmpty, pages.lowerBound >= 0, pages.upperBound <= count else {
      throw .invalidParameter(
        name: "pages",
        reason: "\(pages.lowerBound)..<\(pages.upperBound) are not among the pages 0..<\(count) of the image")
    }
    var plain = options
    plain.transforms = []
    plain.page = 0
    plain.animationTransforms = .everyFrame
    let animation = info.frameCount > 1 ? try AnimatedImage(data: data, coders: self, options: plain) : nil
    let clock = DecodeLimits.Stopwatch(options.limits)
    var images: [Image] = []
    var size = PixelSize(width: 0, height: 0)
    for page in pages {
      plain.page = animation == nil ? page : 0
      let image = try clock.run { (watch) throws(ImagingError) in
        let image: Image
        if let animation {
          image = try animation.frame(at: page)
        } else {
          image = try decode(data, options: plain)
        }
        try watch.check()
        return image
      }
      // Sides are those of pictures in memory, and their number is that of pages.
      size.width = max(size.width, image.bitmap.width)
      size.height += image.bitmap.height
      guard size.pixelCount <= options.limits.maxPixels else {
        throw .limitExceeded(.pixels, value: size.pixelCount, limit: options.limits.maxPixels)
      }
      images.append(image)
    }
    let stack = images[0].with(bitmap: try Bitmap.stacked(images.map(\.bitmap), size: size))
    return try stack.transformed(by: options.transforms)
  }
}

extension Bitmap {
  /// Returns pictures one below the other, in rgba8; the picture itself if there is one.
  ///
  /// - Parameters:
  ///   - bitmaps: The pictures, at least one.
  ///   - size: The greatest width, and the sum of all heights.
  fileprivate static func stacked(_ bitmaps: [Bitmap], size: PixelSize) throws(ImagingError) -> Bitmap {
    if bitmaps.count == 1 { return bitmaps[0] }
    let isOpaque = bitmaps.allSatisfy { $0.isOpaque && $0.width == size.width }
    return try Bitmap(size: size) { (target: UnsafeMutableRawBufferPointer) throws(ImagingError) in
      guard let to = target.baseAddress else { return isOpaque }
      var top = 0
      for bitmap in bitmaps {
        let bitmap = try bitmap.converted(to: .rgba8)
        try bitmap.withUnsafeBytes { (source: UnsafeRawBufferPointer) throws(ImagingError) in
          guard let from = source.baseAddress else { return }
          for row in 0..<bitmap.height {
            if row % 1024 == 0, Task.isCancelled { throw .cancelled }
            let line = to + 4 * (top + row) * size.width
            memcpy(line, from + row * bitmap.bytesPerRow, bitmap.bytesPerRow)
            memset(line + bitmap.bytesPerRow, 0, 4 * (size.width - bitmap.width))
          }
        }
        top += bitmap.height
      }
      return isOpaque
    }
  }
}
