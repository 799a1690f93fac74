/// The palette that all frames of an animation share, if their colours have to be reduced, and the frames as its indices.
struct APNGPalette {
  private let palette: Palette
  private let dithers: Bool
  /// The frame before, and its indices.
  private var shown: (bitmap: Bitmap, indices: [UInt8])?

  /// Makes the palette; `nil` if the options want none, and if the frames are not of RGBA8 or have no more colours than that.
  ///
  /// - Throws: `invalidParameter` for a number of colours that is not 2 to 256; the errors of the animation.
  init?(for animation: AnimationSource, _ options: EncodeOptions) throws(ImagingError) {
    guard options.usesPalette else { return nil }
    guard 2...256 ~= options.paletteSize else {
      throw .invalidParameter(name: "paletteSize", reason: "\(options.paletteSize) is not 2 to 256")
    }
    let colors = ColorHistogram()
    for index in 0..<animation.frameCount {
      if Task.isCancelled { throw .cancelled }
      let bitmap = try animation.frame(index).bitmap
      guard bitmap.format == .rgba8 else { return nil }
      try colors.add(bitmap)
    }
    palette = try colors.palette(maxColors: options.paletteSize)
    dithers = options.dithers
    if palette.isExact { return nil }
  }

  /// Returns the samples of the next frame, whose format is RGBA8, and the area to write. Pixels that do not change keep their
  /// index, so that they do not flicker.
  mutating func next(_ bitmap: Bitmap) throws(ImagingError) -> (samples: PNGSamples, area: PixelRectangle) {
    var indices = try palette.indices(of: bitmap, dithers: dithers)
    var area = PixelRectangle(bitmap.size)
    if let shown {
      bitmap.withUnsafeBytes { new in
        shown.bitmap.withUnsafeBytes { old in
          let (new, old) = (new.bindMemory(to: UInt32.self), old.bindMemory(to: UInt32.self))
          for at in indices.indices where new[at] == old[at] { indices[at] = shown.indices[at] }
        }
      }
      area = Self.change(from: shown.indices, to: indices, size: bitmap.size)
    }
    shown = (bitmap, indices)
    return (try PNGSamples(indices: indices, into: palette.colors, size: bitmap.size), area)
  }

  /// Returns the smallest rectangle with all differences; one pixel if there are none.
  private static func change(from old: [UInt8], to new: [UInt8], size: PixelSize) -> PixelRectangle {
    var (left, right, top, bottom) = (size.width, 0, size.height, 0)
    for y in 0..<size.height {
      for x in 0..<size.width where old[y * size.width + x] != new[y * size.width + x] {
        (left, right, top, bottom) = (min(left, x), max(right, x + 1), min(top, y), y + 1)
      }
    }
    guard bottom > top else { return PixelRectangle(x: 0, y: 0, size: PixelSize(width: 1, height: 1)) }
    return PixelRectangle(x: left, y: top, size: PixelSize(width: right - left, height: bottom - top))
  }
}
