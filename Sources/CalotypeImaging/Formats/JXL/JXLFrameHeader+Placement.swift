extension JXLFrameHeader {
  private typealias End = JXLBitReader.End
  private typealias Choice = JXLBitReader.Choice

  /// Reads the place of a frame on the canvas, its blending, its time, and its use by later frames.
  mutating func readPlacement(
    _ reader: inout JXLBitReader, _ header: JXLHeader, _ canvas: PixelSize
  ) throws(JXLBitReader.End) {
    let isShown = kind == .regular || kind == .skippingProgressive
    var coversCanvas = true
    if kind != .reduced, try reader.flag() {
      let x = isShown ? try Self.signed(&reader) : 0
      let y = isShown ? try Self.signed(&reader) : 0
      size = PixelSize(width: try Self.length(&reader), height: try Self.length(&reader))
      coversCanvas = x <= 0 && y <= 0 && x + size.width >= canvas.width && y + size.height >= canvas.height
    }
    isLast = false
    var replacesColors = true
    if isShown {
      for channel in 0...header.channels.count {
        let replaces = try Self.readBlending(&reader, header, isPartial: !coversCanvas)
        if channel == 0 { replacesColors = replaces }
        if !replaces || !coversCanvas { isIndependent = false }
      }
      if header.plays != nil {
        ticks = try reader.number(Choice(0), Choice(1), Choice(0, 8), Choice(0, 32))
        if header.hasTimeCodes { try reader.skip(32) }
      }
      let mark = try reader.flag()
      isLast = mark && kind == .regular
    }
    guard kind != .reduced else { return }
    let place = isLast ? 0 : try reader.bits(2)
    let isSaved = !isLast && (ticks == 0 || place != 0)
    slot = isSaved ? Int(place) : nil
    // Whether the colours are saved before they are converted.
    if isShown ? isSaved && replacesColors && coversCanvas : true { try reader.skip(1) }
  }

  private static func length(_ reader: inout JXLBitReader) throws(JXLBitReader.End) -> Int {
    Int(try reader.number(Choice(0, 8), Choice(256, 11), Choice(2304, 14), Choice(18_688, 30)))
  }

  private static func signed(_ reader: inout JXLBitReader) throws(JXLBitReader.End) -> Int {
    let number = try length(&reader)
    return number & 1 == 0 ? number >> 1 : -((number + 1) >> 1)
  }

  /// Reads the blending of colours or of a channel; returns true if it replaces the pixels below.
  private static func readBlending(
    _ reader: inout JXLBitReader, _ header: JXLHeader, isPartial: Bool
  ) throws(JXLBitReader.End) -> Bool {
    let mode = try reader.number(Choice(0), Choice(1), Choice(2), Choice(3, 2))
    let usesAlpha = (mode == 2 || mode == 3) && !header.channels.isEmpty
    if usesAlpha { _ = try reader.number(Choice(0), Choice(1), Choice(2), Choice(3, 3)) }
    // Whether alpha is clamped.
    if usesAlpha || mode == 4 { try reader.skip(1) }
    // The frame below.
    if mode != 0 || isPartial { try reader.skip(2) }
    return mode == 0
  }
}

extension JXLBitReader {
  /// Skips the parameters of the filters of a frame.
  mutating func skipFilters(isModular: Bool) throws(End) {
    if try flag() { return }
    let halfFloat = 16
    // Gaborish, with three pairs of weights.
    if try flag(), try flag() { try skip(6 * halfFloat) }
    if try bits(2) > 0 {
      if !isModular, try flag() { try skip(8 * halfFloat) }
      if try flag() { try skip(5 * halfFloat) }
      if try flag() { try skip((isModular ? 3 : 4) * halfFloat) }
      if isModular { try skip(halfFloat) }
    }
    try skipExtensions()
  }
}
