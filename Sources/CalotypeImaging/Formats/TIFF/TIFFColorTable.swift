/// The colours of samples that are indices, or of grey samples of at most 8 bits.
enum TIFFColorTable {
  /// Returns the first four bytes in memory of the RGBA pixel of each value of a sample; `nil` if the samples are colours
  /// themselves.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` if there are too few colours.
  static func make(
    _ pixels: TIFFPixels, _ directory: TIFFDirectory, _ bytes: RawSpan, in file: TIFFFile
  ) throws(ImagingError) -> [UInt32]? {
    guard pixels.colorCount == 1, pixels.maker == .samples else { return nil }
    let count = 1 << pixels.bits
    if pixels.isIndexed { return try colors(count, directory, bytes, in: file) }
    guard pixels.bits <= 8, pixels.alpha == nil else { return nil }
    return (0..<count).map { value in
      let gray = (value * 255 + (count - 1) / 2) / (count - 1)
      return word(repeating: UInt8(pixels.isInverted ? 255 - gray : gray))
    }
  }

  private static func word(repeating gray: UInt8) -> UInt32 { word(gray, gray, gray) }

  private static func word(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
    UInt32(littleEndian: UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000)
  }

  private static func colors(
    _ count: Int, _ directory: TIFFDirectory, _ bytes: RawSpan, in file: TIFFFile
  ) throws(ImagingError) -> [UInt32] {
    func damaged() -> ImagingError {
      .corrupt(.tiff, reason: "the palette has fewer than \(count) colours", offset: directory.offset)
    }
    guard let map = directory.entries[.colorMap], map.count / 3 >= count else { throw damaged() }
    var values: [Int] = []
    values.reserveCapacity(3 * count)
    for index in 0..<3 * count {
      guard let value = map.integer(at: index, bytes, in: file) else { throw damaged() }
      values.append(value)
    }
    // Some writers store bytes.
    let shift = values.contains { $0 > 255 } ? 8 : 0
    func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: values[index] >> shift) }
    return (0..<count).map { word(byte($0), byte($0 + count), byte($0 + 2 * count)) }
  }
}
