/// The size and the metadata at the beginning of a JPEG XL codestream (ISO/IEC 18181-1, annexes D and E).
package struct JXLHeader: Hashable, Sendable {
  /// The width and height, before orientation.
  package private(set) var size = PixelSize(width: 0, height: 0)
  package private(set) var orientation = Orientation.topLeft
  /// Bits of a colour sample.
  package private(set) var bitDepth = 8
  package var hasAlpha: Bool { channels.contains { $0.kind == .alpha } }
  /// The number of plays; `nil` for a still image. 0 repeats for ever.
  package private(set) var plays: Int?
  package private(set) var dynamicRange = ImageInfo.DynamicRange.standard
  /// The size of the preview, which is a frame before all others; `nil` without one.
  package private(set) var preview: PixelSize?
  /// The ticks of an animation in a second, as a fraction.
  package private(set) var ticksPerSecond = Fraction(numerator: 1000, denominator: 1)
  /// A Boolean value that indicates whether frames of the animation have time codes.
  package private(set) var hasTimeCodes = false
  /// The channels besides the colours.
  package private(set) var channels: [Channel] = []
  /// A Boolean value that indicates whether the colours are stored in the space XYB, not in that of the profile.
  package private(set) var isXYB = true
  package private(set) var isGray = false
  /// A Boolean value that indicates whether the colours are those of sRGB, also of grey.
  package private(set) var isSRGB = true
  /// A Boolean value that indicates whether the colours are described by an ICC profile, not by numbers.
  package private(set) var hasProfile = false

  /// Reads a codestream from its signature on; `nil` if it ends within the header.
  ///
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/corrupt(_:reason:offset:)``.
  package init?(_ codestream: [UInt8]) throws(ImagingError) {
    guard codestream.count >= 2 else { return nil }
    guard codestream[0] == 0xFF, codestream[1] == 0x0A else { throw .unrecognizedFormat(hint: nil) }
    do throws(JXLBitReader.End) {
      try codestream.withUnsafeBufferPointer { (bytes) throws(JXLBitReader.End) in
        try read(UnsafeRawBufferPointer(bytes))
      }
    } catch {
      return nil
    }
    guard (1...64).contains(bitDepth) else {
      throw .corrupt(.jxl, reason: "there are \(bitDepth) bits per sample", offset: nil)
    }
  }

  private mutating func read(_ codestream: UnsafeRawBufferPointer) throws(JXLBitReader.End) {
    var reader = JXLBitReader(codestream, at: 2)
    size = try Self.size(&reader)
    try readMetadata(&reader)
  }

  private typealias Choice = JXLBitReader.Choice

  /// A Boolean value that indicates whether the colours are inks, with a channel for black.
  package var isInked: Bool { channels.contains { $0.kind == .black } }
  /// A Boolean value that indicates whether the colours of the file are multiplied by its first channel of alpha.
  package var isPremultiplied: Bool { channels.first { $0.kind == .alpha }?.isPremultiplied ?? false }

  private static func size(_ reader: inout JXLBitReader) throws(JXLBitReader.End) -> PixelSize {
    let isSmall = try reader.flag()
    func side(_ reader: inout JXLBitReader) throws(JXLBitReader.End) -> Int {
      if isSmall { return (Int(try reader.bits(5)) + 1) * 8 }
      return Int(try reader.number(Choice(1, 9), Choice(1, 13), Choice(1, 18), Choice(1, 30)))
    }
    let height = try side(&reader)
    if let width = ratio(try reader.bits(3), of: height) { return PixelSize(width: width, height: height) }
    return PixelSize(width: try side(&reader), height: height)
  }

  /// Returns the width by one of the usual ratios.
  private static func ratio(_ code: UInt32, of height: Int) -> Int? {
    switch code {
    case 1: height
    case 2: height * 12 / 10
    case 3: height * 4 / 3
    case 4: height * 3 / 2
    case 5: height * 16 / 9
    case 6: height * 5 / 4
    case 7: height * 2
    default: nil
    }
  }

  private mutating func readMetadata(_ reader: inout JXLBitReader) throws(JXLBitReader.End) {
    if try reader.flag() { return }
    if try reader.flag() {
      orientation = Orientation(rawValue: Int(try reader.bits(3)) + 1) ?? .topLeft
      // The intrinsic size is a hint for layouts.
      if try reader.flag() { _ = try Self.size(&reader) }
      if try reader.flag() { preview = try Self.previewSize(&reader) }
      if try reader.flag() { try readAnimation(&reader) }
    }
    bitDepth = try Self.bitDepth(&reader)
    // Whether 16 bits are enough to decode.
    try reader.skip(1)
    let count = try reader.number(Choice(0), Choice(1), Choice(2, 4), Choice(1, 12))
    for _ in 0..<count { channels.append(try Self.channel(&reader)) }
    isXYB = try reader.flag()
    try readColor(&reader)
  }

  private static func previewSize(_ reader: inout JXLBitReader) throws(JXLBitReader.End) -> PixelSize {
    let isDivided = try reader.flag()
    func side(_ reader: inout JXLBitReader) throws(JXLBitReader.End) -> Int {
      if isDivided {
        return 8 * Int(try reader.number(Choice(16), Choice(32), Choice(1, 5), Choice(33, 9)))
      }
      return Int(try reader.number(Choice(1, 6), Choice(65, 8), Choice(321, 10), Choice(1345, 12)))
    }
    let height = try side(&reader)
    if let width = ratio(try reader.bits(3), of: height) { return PixelSize(width: width, height: height) }
    return PixelSize(width: try side(&reader), height: height)
  }

  private mutating func readAnimation(_ reader: inout JXLBitReader) throws(JXLBitReader.End) {
    ticksPerSecond.numerator = try reader.number(Choice(100), Choice(1000), Choice(1, 10), Choice(1, 30))
    ticksPerSecond.denominator = try reader.number(Choice(1), Choice(1001), Choice(1, 8), Choice(1, 10))
    plays = Int(try reader.number(Choice(0), Choice(0, 3), Choice(0, 16), Choice(0, 32)))
    hasTimeCodes = try reader.flag()
  }

  private static func bitDepth(_ reader: inout JXLBitReader) throws(JXLBitReader.End) -> Int {
    guard try reader.flag() else {
      return Int(try reader.number(Choice(8), Choice(10), Choice(12), Choice(1, 6)))
    }
    let depth = Int(try reader.number(Choice(32), Choice(16), Choice(24), Choice(1, 6)))
    // Bits of the exponent.
    try reader.skip(4)
    return depth
  }

  private static func channel(_ reader: inout JXLBitReader) throws(JXLBitReader.End) -> Channel {
    var channel = Channel()
    if try reader.flag() { return channel }
    let type = try reader.enumeration()
    _ = try Self.bitDepth(&reader)
    channel.shift = try reader.number(Choice(0), Choice(3), Choice(4), Choice(1, 3))
    let nameLength = try reader.number(Choice(0), Choice(0, 4), Choice(16, 5), Choice(48, 10))
    try reader.skip(8 * Int(nameLength))
    channel.kind =
      switch type {
      case 0: .alpha
      case 2: .spot
      case 4: .black
      default: .other
      }
    switch type {
    case 0: channel.isPremultiplied = try reader.flag()
    case 2: try reader.skip(4 * 16)
    case 5: _ = try reader.number(Choice(1), Choice(0, 2), Choice(3, 4), Choice(19, 8))
    default: break
    }
    return channel
  }

  private mutating func readColor(_ reader: inout JXLBitReader) throws(JXLBitReader.End) {
    if try reader.flag() { return }
    hasProfile = try reader.flag()
    let space = try reader.enumeration()
    isGray = space == 1
    isSRGB = false
    // 2 is XYB, which needs no more.
    guard !hasProfile, space != 2 else { return }
    let white = try reader.enumeration()
    if white == 2 { try Self.skipPoints(1, &reader) }
    let primaries = space == 1 ? 1 : try reader.enumeration()
    if primaries == 2 { try Self.skipPoints(3, &reader) }
    // A gamma, or one of the curves of ITU-T H.273.
    guard try !reader.flag() else { return }
    let curve = try reader.enumeration()
    isSRGB = white == 1 && primaries == 1 && curve == 13
    switch curve {
    case 16: dynamicRange = .pq
    case 18: dynamicRange = .hlg
    default: break
    }
  }

  private static func skipPoints(_ count: Int, _ reader: inout JXLBitReader) throws(JXLBitReader.End) {
    for _ in 0..<2 * count {
      _ = try reader.number(
        Choice(0, 19), Choice(524_288, 19), Choice(1_048_576, 20), Choice(2_097_152, 21))
    }
  }
}
