import CalotypeImaging

/// DEC's sixel graphics: six rows at a time, a bit for each in a character (VT330/VT340 Programmer Reference, chapter 14).
enum Sixel {
  /// The picture in at most 256 colours, from the cursor on. Clear pixels are left as they are on the screen.
  ///
  /// - Parameters:
  ///   - bitmap: RGBA with 8 bits a sample; pixels of an alpha below 128 are clear, all others opaque.
  ///   - dithers: Whether errors of colours are spread over neighbouring pixels.
  static func encode(_ bitmap: Bitmap, dithers: Bool = true) throws(ImagingError) -> [UInt8] {
    let found = try Palette.make(from: bitmap, maxColors: 256, hasBinaryAlpha: true)
    // The percents that can be said, so that what is spread is the error that is seen.
    let palette = Palette(colors: found.colors.map(Self.nearest))
    let indices = try palette.indices(of: bitmap, dithers: dithers && !found.isExact, hasBinaryAlpha: true)
    // No aspect ratio but that of the raster attributes; clear pixels keep what is there.
    var bytes = Array("\u{1B}P0;1;0q\"1;1;\(bitmap.width);\(bitmap.height)".utf8)
    bytes.reserveCapacity(indices.count / 2)
    for (number, color) in palette.colors.enumerated() where color.alpha > 0 {
      bytes.append(
        "#\(number);2;\(percent(color.red));\(percent(color.green));\(percent(color.blue))")
    }
    var bands = Bands(
      width: bitmap.width, height: bitmap.height, isClear: palette.colors.map { $0.alpha == 0 })
    for top in stride(from: 0, to: bitmap.height, by: 6) {
      if Task.isCancelled { throw .cancelled }
      if top > 0 { bytes.append(UInt8(ascii: "-")) }
      bands.append(indices, from: top, to: &bytes)
    }
    bytes.append(ControlSequence.stringTerminator)
    return bytes
  }

  private static func percent(_ value: UInt8) -> Int { (Int(value) * 100 + 127) / 255 }

  private static func nearest(_ color: Palette.Color) -> Palette.Color {
    func sayable(_ value: UInt8) -> UInt8 { UInt8((percent(value) * 255 + 50) / 100) }
    return Palette.Color(
      red: sayable(color.red), green: sayable(color.green), blue: sayable(color.blue), alpha: color.alpha)
  }
}

/// Writes bands of six rows: for each colour that occurs, the columns and rows that have it.
private struct Bands {
  private let width: Int
  private let height: Int
  private let isClear: [Bool]
  /// Six bits for each column, colour by colour; all zero between bands.
  private var masks: [UInt8]
  /// The columns of each colour in this band; empty where `first` is above `last`.
  private var first: [Int]
  private var last: [Int]

  init(width: Int, height: Int, isClear: [Bool]) {
    (self.width, self.height, self.isClear) = (width, height, isClear)
    masks = [UInt8](repeating: 0, count: width * isClear.count)
    first = [Int](repeating: width, count: isClear.count)
    last = [Int](repeating: -1, count: isClear.count)
  }

  mutating func append(_ indices: [UInt8], from top: Int, to bytes: inout [UInt8]) {
    for y in top..<min(height, top + 6) {
      let bit = UInt8(1) << UInt8(y - top)
      for x in 0..<width {
        let color = Int(indices[y * width + x])
        masks[color * width + x] |= bit
        if x < first[color] { first[color] = x }
        if x > last[color] { last[color] = x }
      }
    }
    var isFirst = true
    for color in isClear.indices where first[color] <= last[color] {
      if !isClear[color] {
        // Back to the beginning of the band.
        if !isFirst { bytes.append(UInt8(ascii: "$")) }
        isFirst = false
        bytes.append(UInt8(ascii: "#"))
        bytes.append(decimal: color)
        appendRuns(of: color, to: &bytes)
      }
      for x in first[color]...last[color] { masks[color * width + x] = 0 }
      (first[color], last[color]) = (width, -1)
    }
  }

  private func appendRuns(of color: Int, to bytes: inout [UInt8]) {
    Self.append(0, count: first[color], to: &bytes)
    var x = first[color]
    while x <= last[color] {
      let mask = masks[color * width + x]
      var end = x + 1
      while end <= last[color], masks[color * width + end] == mask { end += 1 }
      Self.append(mask, count: end - x, to: &bytes)
      x = end
    }
  }

  private static func append(_ mask: UInt8, count: Int, to bytes: inout [UInt8]) {
    let sixel = UInt8(ascii: "?") + mask
    if count > 3 {
      bytes.append(UInt8(ascii: "!"))
      bytes.append(decimal: count)
      bytes.append(sixel)
    } else {
      for _ in 0..<count { bytes.append(sixel) }
    }
  }
}
