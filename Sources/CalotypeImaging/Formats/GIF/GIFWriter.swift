import CGIF
import FoundationEssentials

/// A writer of the blocks of a GIF, frame after frame.
struct GIFWriter {
  private let size: PixelSize
  private let loopCount: Int?
  private let dithers: Bool
  private var data = Data()
  /// The canvas before the next frame; `nil` if it is empty.
  private var shown: Bitmap?
  private var globalColors: [Palette.Color]?

  /// - Parameter loopCount: The number of plays, 0 for ever; `nil` for a still.
  init(size: PixelSize, loopCount: Int?, dithers: Bool) throws(ImagingError) {
    self.size = size
    self.loopCount = loopCount
    self.dithers = dithers
  }

  /// Returns the whole file.
  consuming func finished() -> Data {
    data.append(0x3B)
    return data
  }

  /// Writes a frame. `next`, the frame after it, determines its disposal.
  mutating func add(_ frame: AnimationSource.Frame, before next: Bitmap?) throws(ImagingError) {
    // No frame can paint transparent pixels: pixels that become transparent have to be cleared with the frame that
    // shows them.
    let isCleared = next.map { GIFChange.uncovers($0, after: frame.bitmap) } ?? false
    let isFirst = globalColors == nil
    let area =
      isFirst || isCleared
      ? GIFChange(x: 0, y: 0, size: size) : GIFChange(from: shown, to: frame.bitmap)
    let pixels = try area.pixels(of: frame.bitmap, over: shown)
    let palette = try Palette.make(
      from: pixels, maxColors: 256, hasBinaryAlpha: true, reservesTransparency: isFirst && loopCount != nil)
    var indices = try palette.indices(of: pixels, dithers: dithers, hasBinaryAlpha: true)
    var colors = palette.colors
    var isLocal = false
    if let globalColors {
      if palette.isExact, let places = Self.places(of: colors, in: globalColors) {
        for at in indices.indices { indices[at] = places[Int(indices[at])] }
        colors = globalColors
      } else {
        isLocal = true
      }
    } else {
      globalColors = colors
      writeHeader(colors)
    }
    let transparent = colors.firstIndex { $0.alpha == 0 }.map { UInt8(truncatingIfNeeded: $0) }
    writeControl(
      delay: loopCount == nil ? 0 : frame.duration.wholeMilliseconds, isCleared: isCleared,
      transparent: transparent.flatMap { indices.contains($0) ? $0 : nil })
    writeDescriptor(area, localColors: isLocal ? colors : nil)
    try writeIndices(indices, codeSize: max(2, Self.bits(for: colors.count)))
    shown = isCleared ? nil : frame.bitmap
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
  private static func bits(for count: Int) -> Int {
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

  private mutating func writeIndices(_ indices: [UInt8], codeSize: Int) throws(ImagingError) {
    data.append(UInt8(truncatingIfNeeded: codeSize))
    let lzw = UnsafeMutablePointer<cgif_lzw_encoder>.allocate(capacity: 1)
    defer { lzw.deallocate() }
    cgif_lzw_encode_start(lzw, UInt32(codeSize))
    let step = 1 << 16
    var bytes = [UInt8](repeating: 0, count: 2 * step + Int(CGIF_LZW_END_BYTES))
    for start in stride(from: 0, to: indices.count, by: step) {
      if Task.isCancelled { throw .cancelled }
      let count = indices.withUnsafeBufferPointer { source in
        bytes.withUnsafeMutableBufferPointer { target in
          guard let source = source.baseAddress, let target = target.baseAddress else { return 0 }
          return cgif_lzw_encode(lzw, source + start, min(step, indices.count - start), target)
        }
      }
      data.append(contentsOf: bytes[..<count])
    }
    let count = bytes.withUnsafeMutableBufferPointer { target in
      target.baseAddress.map { cgif_lzw_encode_end(lzw, $0) } ?? 0
    }
    data.append(contentsOf: bytes[..<count])
  }
}
