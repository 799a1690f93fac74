/// A histogram of the colours of a picture: exact as long as they fit a palette, otherwise in cells of five bits per
/// colour and three of alpha.
struct PaletteHistogram {
  /// The pixels of one cell: their number, and the sums of their channels.
  struct Cell {
    var count: UInt64 = 0
    var sums = SIMD4<UInt64>.zero

    /// The mean of each channel: red, green, blue, alpha.
    var mean: SIMD4<Double> {
      SIMD4(Double(sums.x), Double(sums.y), Double(sums.z), Double(sums.w)) / Double(max(1, count))
    }
  }

  /// All colours, if there are few.
  private(set) var exactColors: [Palette.Color]?
  /// The cells that are not empty.
  private(set) var cells: [Cell] = []
  /// A Boolean value that indicates whether a colour for fully transparent pixels is needed.
  private(set) var needsTransparency = false

  /// Creates a histogram from cells that were counted elsewhere.
  init(cells: [Cell]) {
    self.cells = cells
  }

  init(_ bitmap: Bitmap, maxColors: Int, hasBinaryAlpha: Bool) throws(ImagingError) {
    var counts: [UInt32: UInt64] = [:]
    var table: [Cell] = []
    let width = bitmap.width
    try bitmap.withUnsafeBytes { bytes throws(ImagingError) in
      for y in 0..<bitmap.height {
        if y % 64 == 0 && Task.isCancelled { throw .cancelled }
        var run: (key: UInt32, count: UInt64) = (0, 0)
        for x in 0..<width {
          let pixel = UInt32(
            littleEndian: bytes.loadUnaligned(fromByteOffset: (y * width + x) * 4, as: UInt32.self))
          let key = pixel.paletteKey(hasBinaryAlpha: hasBinaryAlpha)
          if key == run.key {
            run.count += 1
            continue
          }
          Self.add(run, &counts, &table)
          run = (key, 1)
        }
        Self.add(run, &counts, &table)
      }
    }
    needsTransparency = counts[0] != nil
    if table.isEmpty, counts.count <= maxColors {
      exactColors = counts.keys.sorted().map { Palette.Color(pixel: $0) }
    } else if table.isEmpty {
      cells = counts.filter { $0.key != 0 }.sorted { $0.key < $1.key }.map { Self.cell($0.key, $0.value) }
    } else {
      needsTransparency = table[0].count > 0 && table[0].sums == .zero
      cells = table.filter { $0.count > 0 && $0.sums.w > 0 }
    }
  }

  /// Adds a transparent colour, even if the picture has none.
  mutating func reserveTransparency() {
    needsTransparency = true
    if let exactColors, !exactColors.contains(where: { $0.alpha == 0 }) {
      self.exactColors = [Palette.Color(pixel: 0)] + exactColors
    }
  }

  private static func add(
    _ run: (key: UInt32, count: UInt64), _ counts: inout [UInt32: UInt64], _ table: inout [Cell]
  ) {
    guard run.count > 0 else { return }
    guard table.isEmpty else { return add(run, to: &table) }
    counts[run.key, default: 0] += run.count
    guard counts.count > 4 * 256 else { return }
    table = [Cell](repeating: Cell(), count: 1 << 18)
    for (key, count) in counts { add((key, count), to: &table) }
  }

  private static func cell(_ key: UInt32, _ count: UInt64) -> Cell {
    let channels = SIMD4<UInt64>(
      UInt64(key & 255), UInt64(key >> 8 & 255), UInt64(key >> 16 & 255), UInt64(key >> 24))
    return Cell(count: count, sums: channels &* SIMD4(repeating: count))
  }

  private static func add(_ run: (key: UInt32, count: UInt64), to table: inout [Cell]) {
    let key = run.key
    // Cell 0 is for transparent pixels alone: their key is 0, and all others have an alpha above 0.
    let color = (key >> 3 & 31) | (key >> 11 & 31) << 5 | (key >> 19 & 31) << 10
    let index = Int(key == 0 ? 0 : max(1, color | (key >> 29) << 15))
    let cell = cell(key, run.count)
    table[index].count += cell.count
    table[index].sums &+= cell.sums
  }
}
