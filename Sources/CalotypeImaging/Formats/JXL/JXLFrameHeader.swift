/// The header of a frame and the sizes of its sections (ISO/IEC 18181-1, annexes F and I).
struct JXLFrameHeader: Sendable {
  /// The purpose of a frame.
  enum Kind: UInt32, Hashable, Sendable {
    /// A picture, or a layer of one.
    case regular
    /// An eighth of a later frame.
    case reduced
    /// A source of patches for later frames.
    case reference
    /// As ``regular``, except that it does not replace a progressive preview.
    case skippingProgressive
  }

  var kind = Kind.regular
  /// The width and height, of which the pixels are stored.
  var size: PixelSize
  /// A Boolean value that indicates whether the frame replaces the whole canvas, and depends on no other frame.
  var isIndependent = true
  /// The display time in ticks; 0 for a layer of the picture that follows.
  var ticks: UInt32 = 0
  var isLast = true
  var isModular = false
  /// The place in which it is kept for later frames; `nil` if it is not. Those of reductions are behind those of pictures.
  var slot: Int?
  /// The position behind the sections; `nil` if they are out of order, because their sizes are coded then.
  var end: Int?

  private var upsampling = 1
  private var passCount = 1
  /// The logarithm of the sides of groups, where 0 is 128 pixels.
  private var groupShift = 1
  private var subsamples = (horizontal: 0, vertical: 0)
  private var isReduced = false

  private typealias End = JXLBitReader.End
  private typealias Choice = JXLBitReader.Choice

  /// The largest number of sections of a frame that libjxl reads.
  private static let maxSections = 65_536

  /// Reads the header at an offset of a codestream.
  ///
  /// - Parameters:
  ///   - codestream: The codestream.
  ///   - offset: The position of the header.
  ///   - header: The header of the codestream.
  ///   - canvas: The size of a frame that states none.
  /// - Throws: ``ImagingError/truncated(_:byteCount:)``, ``ImagingError/corrupt(_:reason:offset:)``.
  init(
    _ codestream: UnsafeRawBufferPointer, at offset: Int, header: JXLHeader, canvas: PixelSize
  ) throws(ImagingError) {
    size = canvas
    var reader = JXLBitReader(codestream, at: offset)
    var sections: Int?
    do throws(End) {
      if try !reader.flag() { try read(&reader, header, canvas) }
      sections = sectionCount
      if let sections { end = try Self.end(of: sections, &reader) }
    } catch {
      throw .truncated(.jxl, byteCount: codestream.count)
    }
    guard sections != nil else {
      throw .corrupt(.jxl, reason: "a frame of \(size) pixels has no sections, or too many", offset: offset)
    }
  }

  private mutating func read(
    _ reader: inout JXLBitReader, _ header: JXLHeader, _ canvas: PixelSize
  ) throws(End) {
    kind = Kind(rawValue: try reader.bits(2)) ?? .regular
    isModular = try reader.flag()
    let flags = try reader.longNumber()
    isReduced = flags & 32 != 0
    // Patches are parts of other frames.
    isIndependent = flags & 2 == 0 && !isReduced
    if !header.isXYB, try reader.flag(), !isReduced { try readSubsampling(&reader) }
    if !isReduced {
      upsampling = try Self.factor(&reader)
      for _ in header.channels { _ = try Self.factor(&reader) }
    }
    if isModular { groupShift = Int(try reader.bits(2)) }
    if !isModular, header.isXYB { try reader.skip(3 + 3) }
    if kind != .reference { try readPasses(&reader) }
    if kind == .reduced {
      let level = Int(try reader.bits(2)) + 1
      slot = 3 + level
      size = PixelSize(
        width: (canvas.width - 1) >> (3 * level) + 1, height: (canvas.height - 1) >> (3 * level) + 1)
    }
    try readPlacement(&reader, header, canvas)
    let nameLength = try reader.number(Choice(0), Choice(0, 4), Choice(16, 5), Choice(48, 10))
    try reader.skip(8 * Int(nameLength))
    try reader.skipFilters(isModular: isModular)
    try reader.skipExtensions()
  }

  private static func factor(_ reader: inout JXLBitReader) throws(End) -> Int { 1 << Int(try reader.bits(2)) }

  /// Reads the sampling of YCbCr, as in a JPEG.
  private mutating func readSubsampling(_ reader: inout JXLBitReader) throws(End) {
    for _ in 0..<3 {
      let mode = try reader.bits(2)
      if mode == 1 || mode == 2 { subsamples.horizontal = 1 }
      if mode == 1 || mode == 3 { subsamples.vertical = 1 }
    }
  }

  private mutating func readPasses(_ reader: inout JXLBitReader) throws(End) {
    passCount = Int(try reader.number(Choice(1), Choice(2), Choice(3), Choice(4, 3)))
    guard passCount > 1 else { return }
    let reductions = Int(try reader.number(Choice(0), Choice(1), Choice(2), Choice(3, 1)))
    try reader.skip(2 * (passCount - 1))
    for _ in 0..<reductions { _ = try Self.factor(&reader) }
    for _ in 0..<reductions { _ = try reader.number(Choice(0), Choice(1), Choice(2), Choice(0, 3)) }
  }

  /// Returns the position behind the sections; `nil` if it is not known.
  private static func end(of count: Int, _ reader: inout JXLBitReader) throws(End) -> Int? {
    if try reader.flag() { return nil }
    reader.align()
    var total = 0
    for _ in 0..<count {
      total += Int(
        try reader.number(Choice(0, 10), Choice(1024, 14), Choice(17408, 22), Choice(4_211_712, 30)))
    }
    reader.align()
    return reader.byteOffset + total
  }

  /// The number of sections; `nil` for more than libjxl reads.
  private var sectionCount: Int? {
    guard (1...1 << 30).contains(size.width), (1...1 << 30).contains(size.height) else { return nil }
    func groups(_ side: Int, _ shift: Int) -> (all: Int, reduced: Int) {
      let stored = (side - 1) / upsampling + 1
      let group = 128 << groupShift
      let blocks = ((stored - 1) / (8 << shift) + 1) << shift
      return ((stored - 1) / group + 1, (blocks - 1) / group + 1)
    }
    let columns = groups(size.width, subsamples.horizontal)
    let rows = groups(size.height, subsamples.vertical)
    let all = columns.all * rows.all
    guard all * passCount <= Self.maxSections else { return nil }
    if all == 1, passCount == 1 { return 1 }
    let count = 2 + columns.reduced * rows.reduced + all * passCount
    return count <= Self.maxSections ? count : nil
  }
}
