import CPixels
public import FoundationEssentials
import Glibc

/// An encoder for APNG that writes each frame as the rectangle of its changes, in the fewest bits that hold the pixels of
/// all frames: 16, 8 or fewer bits per sample, grey, a palette. A lossy palette, which all frames share, is made on request.
///
/// Frames are requested twice, first to survey their pixels; for a lossy palette, up to three times. The encoder takes the
/// memory of the file, two frames, and a copy of the changed rectangle.
public struct APNGEncoder: ImageEncoding {
  /// `apng`.
  public var format: ImageFormat { .apng }

  /// Creates an encoder.
  public init() {}

  /// Returns false: the format is lossless, or has no quality.
  public func usesQuality(_ options: EncodeOptions) -> Bool { false }

  /// Encodes a still image as PNG, which every reader of APNG reads.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    try PNGEncoder.encode(image, options: options)
  }

  /// Returns the encoded animation. Frames without changes are stored as one pixel.
  public func encode(_ animation: AnimationSource, options: EncodeOptions) throws(ImagingError) -> Data {
    guard animation.frameCount > 0, animation.frameCount <= Int(Int32.max) else {
      throw .invalidParameter(name: "animation", reason: "it has \(animation.frameCount) frames")
    }
    var palette = try APNGPalette(for: animation, options)
    let layouts = palette == nil ? try Self.layouts(for: animation, options) : []
    var writer: PNGFileWriter?
    var previous: Bitmap?
    var chosen = layouts.count == 1 ? layouts[0] : nil
    for index in 0..<animation.frameCount {
      if Task.isCancelled { throw .cancelled }
      let frame = try animation.frame(index)
      let bitmap = frame.bitmap
      var area = PixelRectangle(bitmap.size)
      if let previous {
        guard previous.size == bitmap.size, previous.format == bitmap.format else {
          throw Self.changedFormat(index)
        }
        area = PNGChange.area(from: previous, to: bitmap)
      }
      var candidates: [PNGSamples] = []
      if let next = try palette?.next(bitmap) {
        candidates = [next.samples]
        area = next.area
      }
      for layout in chosen.map({ [$0] }) ?? layouts { candidates.append(try PNGSamples(bitmap, layout)) }
      let compression = PNGCompression(effort: options.effort, area: area)
      let (samples, stream) = try compression.smallest(of: compression.ways(candidates))
      // All frames have the layout of the first.
      if chosen == nil { chosen = layouts.first { $0.colorType == samples.layout.colorType } }
      var file = writer ?? PNGFileWriter(samples.header)
      if index == 0 {
        file.addAnimation(frames: animation.frameCount, plays: animation.loopCount)
        file.add(samples.layout)
      }
      file.addFrame(area, milliseconds: max(0, frame.duration.wholeMilliseconds), blend: .source)
      if index == 0 { file.addImageData(stream) } else { file.addFrameData(stream) }
      writer = file
      previous = bitmap
    }
    guard var writer else { throw .invalidParameter(name: "animation", reason: "it has no frames") }
    return writer.finish()
  }

  /// Returns the layouts that hold the pixels of all frames.
  private static func layouts(
    for animation: AnimationSource, _ options: EncodeOptions
  ) throws(ImagingError) -> [PNGLayout] {
    let survey = PNGSurvey(clears: options.clearsHiddenColors)
    for index in 0..<animation.frameCount {
      if Task.isCancelled { throw .cancelled }
      let bitmap = try animation.frame(index).bitmap
      if let format = survey.format, format != bitmap.format { throw changedFormat(index) }
      try survey.add(bitmap)
    }
    return PNGLayout.candidates(for: survey, rules: PNGLayout.Rules()) { _ in false }
  }

  private static func changedFormat(_ index: Int) -> ImagingError {
    .invalidParameter(
      name: "animation", reason: "frame \(index) has another size or format than the one before")
  }
}

/// The difference between two pictures of one size and format.
enum PNGChange {
  /// Returns the smallest rectangle that contains all differences; one pixel if there are none.
  static func area(from old: Bitmap, to new: Bitmap) -> PixelRectangle {
    let length = new.bytesPerRow
    let bytesPerPixel = new.format.bytesPerPixel
    return old.withUnsafeBytes { a in
      new.withUnsafeBytes { b in
        let one = PixelRectangle(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
        guard let a = a.baseAddress, let b = b.baseAddress else { return one }
        let differs = { (y: Int) in memcmp(a + y * length, b + y * length, length) != 0 }
        guard let top = (0..<new.height).first(where: differs),
          let bottom = (top..<new.height).last(where: differs)
        else { return one }
        var (left, right) = (new.width, 0)
        for y in top...bottom {
          let (p, q) = (a + y * length, b + y * length)
          let pixelDiffers = { (x: Int) in
            memcmp(p + x * bytesPerPixel, q + x * bytesPerPixel, bytesPerPixel) != 0
          }
          if let first = (0..<left).first(where: pixelDiffers) { left = first }
          if let last = (right..<new.width).last(where: pixelDiffers) { right = last + 1 }
        }
        return PixelRectangle(
          x: left, y: top, size: PixelSize(width: max(1, right - left), height: bottom - top + 1))
      }
    }
  }
}
