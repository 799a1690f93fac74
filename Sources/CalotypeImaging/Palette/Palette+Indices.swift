extension Palette {
  /// Returns the palette index of each pixel of an RGBA8 picture, row by row.
  ///
  /// With `dithers`, the error of each pixel is spread over its neighbours (Floyd and Steinberg 1976), unless the
  /// palette is exact. Transparent pixels neither receive nor pass on errors. With `hasBinaryAlpha`, an alpha below 128
  /// counts as transparent and any other as opaque.
  ///
  /// - Throws: `invalidParameter` for another pixel format, `cancelled`.
  package func indices(
    of bitmap: Bitmap, dithers: Bool, hasBinaryAlpha: Bool = false
  ) throws(ImagingError) -> [UInt8] {
    guard bitmap.format == .rgba8 else {
      throw .invalidParameter(name: "bitmap", reason: "a palette is for RGBA with 8 bits a sample")
    }
    var search = PaletteSearch(colors)
    var result = [UInt8](repeating: 0, count: bitmap.size.pixelCount)
    let width = bitmap.width
    let spreads = dithers && !isExact
    // One pixel of margin on both sides; errors in sixteenths.
    var current = [SIMD4<Int32>](repeating: .zero, count: spreads ? width + 2 : 0)
    var next = current
    try bitmap.withUnsafeBytes { bytes throws(ImagingError) in
      for y in 0..<bitmap.height {
        if y % 16 == 0 && Task.isCancelled { throw .cancelled }
        for x in 0..<width {
          let at = y * width + x
          let key = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at * 4, as: UInt32.self))
            .paletteKey(hasBinaryAlpha: hasBinaryAlpha)
          guard spreads, key != 0 else {
            result[at] = search.index(of: key)
            continue
          }
          let exact = SIMD4<Int32>(
            Int32(key & 255), Int32(key >> 8 & 255), Int32(key >> 16 & 255), Int32(key >> 24))
          let error = (current[x + 1] &+ SIMD4(repeating: 8)) &>> 4
          let wanted = (exact &+ error).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
          // An alpha of 0 would lose the colour of a pixel.
          let alpha = hasBinaryAlpha ? 255 : max(1, wanted.w)
          let index = search.index(
            of: UInt32(wanted.x) | UInt32(wanted.y) << 8 | UInt32(wanted.z) << 16 | UInt32(alpha) << 24)
          result[at] = index
          let miss = wanted &- search.color(index)
          current[x + 2] &+= miss &* SIMD4(repeating: 7)
          next[x] &+= miss &* SIMD4(repeating: 3)
          next[x + 1] &+= miss &* SIMD4(repeating: 5)
          next[x + 2] &+= miss
        }
        if spreads {
          swap(&current, &next)
          for x in next.indices { next[x] = .zero }
        }
      }
    }
    return result
  }
}

/// A search for the nearest colour of a palette, with a cache of its results.
struct PaletteSearch {
  private let colors: [SIMD4<Int32>]
  private let exact: [UInt32: UInt8]
  /// The last results, by a hash of the pixel.
  private var cache: [(key: UInt32, index: Int16)]

  init(_ colors: [Palette.Color]) {
    self.colors = colors.map { SIMD4(Int32($0.red), Int32($0.green), Int32($0.blue), Int32($0.alpha)) }
    exact = Dictionary(
      colors.enumerated().map { index, color in
        let key =
          UInt32(color.red) | UInt32(color.green) << 8 | UInt32(color.blue) << 16 | UInt32(color.alpha) << 24
        return (key, UInt8(truncatingIfNeeded: index))
      }, uniquingKeysWith: { first, _ in first })
    cache = Array(repeating: (0, -1), count: 1 << 14)
  }

  /// Returns the channels of a colour.
  func color(_ index: UInt8) -> SIMD4<Int32> { colors[Int(index)] }

  /// Returns the index of the colour most similar to a pixel (red in the low bits, alpha in the high). Ties go to the
  /// first.
  mutating func index(of key: UInt32) -> UInt8 {
    let slot = Int((key &* 2_654_435_769) >> 18)
    if cache[slot].key == key, cache[slot].index >= 0 { return UInt8(truncatingIfNeeded: cache[slot].index) }
    let index = exact[key] ?? nearest(to: key)
    cache[slot] = (key, Int16(index))
    return index
  }

  private func nearest(to key: UInt32) -> UInt8 {
    let wanted = SIMD4<Int32>(
      Int32(key & 255), Int32(key >> 8 & 255), Int32(key >> 16 & 255), Int32(key >> 24))
    let isTransparent = wanted.w == 0
    var (best, least) = (0, Int32.max)
    for (index, color) in colors.enumerated() {
      // Visible pixels must not vanish, nor transparent ones appear, as long as there is a choice.
      let mismatch: Int32 = isTransparent == (color.w == 0) ? 0 : 1 << 24
      let d = color &- wanted
      let square = d &* d &* SIMD4<Int32>(5, 9, 4, 9)
      let distance = square.wrappedSum() &+ mismatch
      if distance < least { (best, least) = (index, distance) }
    }
    return UInt8(truncatingIfNeeded: best)
  }
}
