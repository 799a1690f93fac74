import FoundationEssentials

/// A writer of the blocks of a GIF, frame after frame.
struct GIFWriter {
  private let size: PixelSize
  private let loopCount: Int?
  private let dithers: Bool
  private let frameTolerance: Int
  private let compressor: GIFCompressor
  /// The palette of all frames, if it holds all their colours.
  private let common: Palette?
  private var data = Data()
  /// The canvas before the next frame; `nil` if it is empty.
  private var shown: Bitmap?
  private var globalColors: [Palette.Color]?

  /// - Parameters:
  ///   - loopCount: The number of plays, 0 for ever; `nil` for a still.
  ///   - common: The palette of all frames, if one holds all their colours.
  init(
    size: PixelSize, loopCount: Int?, common: Palette?, options: EncodeOptions
  ) throws(ImagingError) {
    (self.size, self.loopCount, self.common) = (size, loopCount, common)
    dithers = options.dithers
    frameTolerance = try options.checked(.frameTolerance)
    compressor = GIFCompressor(effort: options.effort, loss: try options.checked(.loss))
  }

  /// Returns the whole file.
  consuming func finished() -> Data {
    data.append(0x3B)
    return data
  }

  /// Writes a frame. `next`, the frame after it, determines its disposal.
  mutating func add(_ frame: AnimationSource.Frame, before next: Bitmap?) throws(ImagingError) {
    let bitmap =
      try shown.map { (shown) throws(ImagingError) in
        try GIFChange.steadied(frame.bitmap, after: shown, tolerance: frameTolerance)
      } ?? frame.bitmap
    // No frame can paint transparent pixels: pixels that become transparent have to be cleared with the frame that
    // shows them.
    let uncovered = next.flatMap { GIFChange.uncovered(by: $0, after: bitmap) }
    let isFirst = globalColors == nil
    var area = isFirst ? GIFChange(x: 0, y: 0, size: size) : GIFChange(from: shown, to: bitmap)
    if let uncovered { area = area.union(uncovered) }
    let (colors, indices, isLocal) = try indices(of: bitmap, area, isFirst: isFirst)
    if isFirst {
      globalColors = colors
      writeHeader(colors)
    }
    let transparent = colors.firstIndex { $0.alpha == 0 }.map { UInt8(truncatingIfNeeded: $0) }
    let made = try compressor.smallest(of: indices, colors: colors, transparent: transparent)
    writeControl(
      delay: loopCount == nil ? 0 : frame.duration.wholeMilliseconds, isCleared: uncovered != nil,
      transparent: made.hasTransparency ? transparent : nil)
    writeDescriptor(area, localColors: isLocal ? colors : nil)
    data.append(made.data)
    shown = uncovered == nil ? bitmap : try area.cleared(in: bitmap)
  }

  /// Returns the colours of a frame, and the indices of its area.
  private func indices(
    of bitmap: Bitmap, _ area: GIFChange, isFirst: Bool
  ) throws(ImagingError) -> (colors: [Palette.Color], indices: GIFIndices, isLocal: Bool) {
    let unchanged = shown == nil ? nil : area.unchanged(in: bitmap, after: shown)
    if let common {
      let indices = try common.indices(
        of: try area.pixels(of: bitmap), dithers: false, hasBinaryAlpha: true)
      return (common.colors, GIFIndices(indices: indices, unchanged: unchanged), false)
    }
    var (pixels, isComplete) = (try area.pixels(of: bitmap), true)
    let histogram = ColorHistogram(hasBinaryAlpha: true)
    try histogram.add(pixels)
    if unchanged != nil, !histogram.fits(256) {
      // Unchanged pixels are transparent, so that all colours are there for others.
      (pixels, isComplete) = (try area.pixels(of: bitmap, without: unchanged), false)
    }
    let palette = try Palette.make(
      from: pixels, maxColors: 256, hasBinaryAlpha: true,
      reservesTransparency: isFirst && loopCount != nil || unchanged != nil)
    var indices = GIFIndices(
      indices: try palette.indices(of: pixels, dithers: dithers, hasBinaryAlpha: true),
      unchanged: isComplete ? unchanged : nil)
    guard let globalColors else { return (palette.colors, indices, false) }
    guard palette.isExact, let places = Self.places(of: palette.colors, in: globalColors) else {
      return (palette.colors, indices, true)
    }
    for at in indices.indices.indices { indices.indices[at] = places[Int(indices.indices[at])] }
    return (globalColors, indices, false)
  }

  /// Returns the index of each of `colors` in another palette; `nil` if one is missing.
  private static func places(of colors: [Palette.Color], in palette: [Palette.Color]) -> [UInt8]? {
    let known = Dictionary(zip(palette, 0...), uniquingKeysWith: { first, _ in first })
    var places: [UInt8] = []
    for color in colors {
      guard let place = known[color] else { return nil }
      places.append(UInt8(truncatingIfNeeded: place))
    }
    return places
  }

  /// Returns the exponent of the stored palette size: 1 to 8.
  static func bits(for count: Int) -> Int {
    max(1, Int.bitWidth - (count - 1).leadingZeroBitCount)
  }

  private mutating func append(word: Int) {
    data.append(contentsOf: [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)])
  }

  private mutating func append(colors: [Palette.Color]) {
    for color in colors { data.append(contentsOf: [color.red, color.green, color.blue]) }
    data.append(contentsOf: repeatElement(0, count: 3 * (1 << Self.bits(for: colors.count) - colors.count)))
  }

  private mutating func writeHeader(_ colors: [Palette.Color]) {
    data.append(contentsOf: Array("GIF89a".utf8))
    append(word: size.width)
    append(word: size.height)
    data.append(contentsOf: [0xF0 | UInt8(truncatingIfNeeded: Self.bits(for: colors.count) - 1), 0, 0])
    append(colors: colors)
    // Without the block the animation plays once; the block counts repeats.
    guard let loopCount, loopCount != 1 else { return }
    data.append(contentsOf: [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1])
    append(word: loopCount == 0 ? 0 : min(loopCount - 1, 65535))
    data.append(0)
  }

  private mutating func writeControl(delay: Int, isCleared: Bool, transparent: UInt8?) {
    guard loopCount != nil || transparent != nil else { return }
    let flags: UInt8 = (loopCount == nil ? 0 : isCleared ? 2 : 1) << 2 | (transparent == nil ? 0 : 1)
    data.append(contentsOf: [0x21, 0xF9, 4, flags])
    let hundredths = delay > 655_350 ? 65535 : (delay + 5) / 10
    append(word: loopCount == nil ? 0 : min(65535, max(2, hundredths)))
    data.append(contentsOf: [transparent ?? 0, 0])
  }

  private mutating func writeDescriptor(_ area: GIFChange, localColors: [Palette.Color]?) {
    data.append(0x2C)
    for value in [area.x, area.y, area.size.width, area.size.height] { append(word: value) }
    guard let localColors else {
      data.append(0)
      return
    }
    data.append(0x80 | UInt8(truncatingIfNeeded: Self.bits(for: localColors.count) - 1))
    append(colors: localColors)
  }
}
