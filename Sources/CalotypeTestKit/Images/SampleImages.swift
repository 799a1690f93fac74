public import CalotypeImaging
public import FoundationEssentials

/// Small encoded images, made when they are needed: tests need no files for them.
///
/// ```swift
/// let png = try SampleImages.still(width: 40, height: 30)
/// let red = try SampleImages.still(.jpeg(), color: PixelColor(red: 255, green: 0, blue: 0))
/// let film = try SampleImages.animation(.webpLossless, frames: 5)
/// ```
///
/// The same arguments make the same bytes. Sizes are in pixels; all of it throws `ImagingError` when a size is empty or
/// too large for the format.
public enum SampleImages {
  /// A still image: of one colour, or with a pattern in which no two places nearby are the same.
  public static func still(
    _ options: EncodeOptions = .png, width: Int = 8, height: Int = 8, color: PixelColor? = nil
  ) throws(ImagingError) -> Data {
    let size = PixelSize(width: width, height: height)
    let picture = try picture(size, color: color, phase: 0)
    return try CoderRegistry.standard.encode(Image(bitmap: picture), as: options)
  }

  /// A JPEG in scans of rising quality, for what is shown before all bytes are there.
  public static func progressiveJPEG(
    width: Int = 64, height: Int = 64, color: PixelColor? = nil
  ) throws(ImagingError) -> Data {
    var options = EncodeOptions.jpeg()
    options.isProgressive = true
    return try still(options, width: width, height: height, color: color)
  }

  /// An animation whose frames all differ: GIF, animated PNG or WebP.
  ///
  /// - Parameters:
  ///   - options: The format, and how to write it.
  ///   - frames: Number of frames; 1 makes a still image.
  ///   - width: Pixels of a row.
  ///   - height: Number of rows.
  ///   - duration: The time that each frame is shown.
  ///   - loopCount: Times it plays: 0 for ever.
  /// - Throws: `ImagingError`, also for formats without animations.
  public static func animation(
    _ options: EncodeOptions = .gif, frames: Int = 3, width: Int = 8, height: Int = 8,
    duration: Duration = .milliseconds(100), loopCount: Int = 0
  ) throws(ImagingError) -> Data {
    let size = PixelSize(width: width, height: height)
    let source = AnimationSource(frameCount: frames, loopCount: loopCount) { index throws(ImagingError) in
      AnimationSource.Frame(
        bitmap: try picture(size, color: nil, phase: UInt8(truncatingIfNeeded: index &* 37)),
        duration: duration)
    }
    return try CoderRegistry.standard.encode(source, as: options)
  }

  /// The picture that is encoded, as pixels: for comparing with what comes back from a lossless format.
  public static func bitmap(width: Int = 8, height: Int = 8, color: PixelColor? = nil) throws(ImagingError)
    -> Bitmap
  {
    try picture(PixelSize(width: width, height: height), color: color, phase: 0)
  }

  private static func picture(
    _ size: PixelSize, color: PixelColor?, phase: UInt8
  ) throws(ImagingError) -> Bitmap {
    try Bitmap(size: size) { pixels in
      var place = 0
      for y in 0..<size.height {
        for x in 0..<size.width {
          let color =
            color
            ?? PixelColor(
              red: UInt8(truncatingIfNeeded: x &* 5) &+ phase, green: UInt8(truncatingIfNeeded: y &* 5),
              blue: UInt8(truncatingIfNeeded: (x &+ y) &* 3) &+ phase)
          pixels[place] = color.red
          pixels[place + 1] = color.green
          pixels[place + 2] = color.blue
          pixels[place + 3] = color.alpha
          place += 4
        }
      }
      return color.map { $0.alpha == 255 } ?? true
    }
  }
}
