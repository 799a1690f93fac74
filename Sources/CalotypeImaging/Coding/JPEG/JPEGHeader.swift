import FoundationEssentials

/// What the marker segments before the first scan of a JPEG say (ITU-T T.81, annex B).
///
/// Found by walking the segments, as leniently as libjpeg does: fill bytes and garbage between segments are
/// skipped. No entropy-coded data is touched.
struct JPEGHeader {
  /// One colour component.
  struct Component: Hashable {
    /// Horizontal and vertical sampling factor, 1 to 4.
    var horizontal: Int
    var vertical: Int
  }

  /// Stored width and height.
  var size = PixelSize(width: 0, height: 0)
  /// Bits per sample.
  var precision = 0
  /// The second byte of the frame marker, 0xC0 to 0xCF.
  var process: UInt8 = 0
  var components: [Component] = []
  /// What the Exif segments say; the first with a tag wins.
  var orientation: Orientation?
  /// The colour profile, if all of its parts are there.
  var profile: Data?
  /// Where the data of the first scan begin; `nil` when the bytes end before.
  var scanOffset: Int?

  var isProgressive: Bool { process == 0xC2 || process == 0xCA }
  var isArithmetic: Bool { process >= 0xC9 }

  /// Walks over the segments up to the first scan.
  ///
  /// - Throws: `.truncated` when the bytes end before the frame header, `.corrupt` when there is none or it
  ///   makes no sense, `.unsupportedFormat` for processes and precisions that no coder here knows.
  init(_ data: Data) throws(ImagingError) {
    // Typed throws and closures of `Data` do not mix; a span has no closure.
    let bytes = data.bytes
    guard bytes.holds([0xFF, 0xD8]) else {
      throw .corrupt(.jpeg, reason: "no start marker", offset: 0)
    }
    var profileParts = ICCParts()
    var offset = 2
    var hasEnded = false
    walk: while let marker = Self.nextMarker(in: bytes, from: &offset) {
      switch marker {
      case 0x01, 0xD0...0xD8: continue
      case 0xD9:
        hasEnded = true
        break walk
      default: break
      }
      guard let length = bytes.uint16(at: offset, bigEndian: true) else { break }
      // Lengths count their own two bytes. Writers of application data get that wrong, and nobody minds.
      guard length >= 2 || Self.isSkippable(marker) else {
        throw .corrupt(.jpeg, reason: "a segment of length \(length)", offset: offset)
      }
      let end = offset + max(2, Int(length))
      guard end <= bytes.byteCount else { break }
      let segment = bytes.extracting(offset + 2..<end)
      switch marker {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        guard process == 0 else { throw .corrupt(.jpeg, reason: "two frame headers", offset: offset) }
        try readFrame(segment, process: marker, offset: offset)
      case 0xDA:
        guard process != 0 else {
          throw .corrupt(.jpeg, reason: "a scan before the frame header", offset: offset)
        }
        scanOffset = end
        break walk
      case 0xE1:
        if orientation == nil, segment.holds("Exif\0\0") { orientation = Exif.orientation(in: segment) }
      case 0xE2: profileParts.add(segment)
      default: break
      }
      offset = end
    }
    guard process != 0 else {
      guard hasEnded else { throw .truncated(.jpeg, byteCount: bytes.byteCount) }
      throw .corrupt(.jpeg, reason: "an end marker before the frame header", offset: offset)
    }
    profile = profileParts.assembled()
  }

  /// The next marker's second byte; moves `offset` behind it.
  private static func nextMarker(in bytes: RawSpan, from offset: inout Int) -> UInt8? {
    while let byte = bytes.byte(at: offset) {
      offset += 1
      guard byte == 0xFF else { continue }
      while bytes.byte(at: offset) == 0xFF { offset += 1 }
      guard let marker = bytes.byte(at: offset) else { return nil }
      offset += 1
      if marker != 0 { return marker }
    }
    return nil
  }

  /// Application data and comments.
  private static func isSkippable(_ marker: UInt8) -> Bool {
    (0xE0...0xEF).contains(marker) || marker == 0xFE
  }

  private mutating func readFrame(_ segment: RawSpan, process: UInt8, offset: Int) throws(ImagingError) {
    guard let precision = segment.byte(at: 0), let height = segment.uint16(at: 1, bigEndian: true),
      let width = segment.uint16(at: 3, bigEndian: true), let count = segment.byte(at: 5),
      count > 0, segment.byteCount == 6 + 3 * Int(count)
    else { throw .corrupt(.jpeg, reason: "a frame header of the wrong length", offset: offset) }
    guard width > 0 else { throw .corrupt(.jpeg, reason: "a width of 0", offset: offset) }
    guard height > 0 else {
      throw .unsupportedFormat(.jpeg, reason: "the height is 0 (to be defined after the first scan)")
    }
    for index in 0..<Int(count) {
      let sampling = segment.byte(at: 7 + 3 * index) ?? 0
      let component = Component(horizontal: Int(sampling >> 4), vertical: Int(sampling & 15))
      guard (1...4).contains(component.horizontal), (1...4).contains(component.vertical) else {
        throw .corrupt(.jpeg, reason: "sampling factors of \(sampling >> 4)×\(sampling & 15)", offset: offset)
      }
      components.append(component)
    }
    size = PixelSize(width: Int(width), height: Int(height))
    self.precision = Int(precision)
    self.process = process
  }

  /// Refuses what libjpeg-turbo cannot decode to 8 bits, with a reason that says what it is.
  func checkSupport() throws(ImagingError) {
    switch process {
    case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA: break
    case 0xC3, 0xCB: throw .unsupportedFormat(.jpeg, reason: "lossless JPEG")
    default: throw .unsupportedFormat(.jpeg, reason: "hierarchical JPEG")
    }
    guard precision == 8 else {
      throw .unsupportedFormat(.jpeg, reason: "samples of \(precision) bits; only 8 are supported")
    }
  }

  /// Bytes of entropy-coded data that a complete picture has at least.
  ///
  /// Each Huffman code has a bit or more: a block of a sequential scan has two codes or more, one of a first
  /// progressive scan one. Arithmetic coding has no such bound. A picture that lies about its size is found out
  /// by this before memory is taken for it.
  var minimumScanBytes: Int {
    guard !isArithmetic else { return 0 }
    let maxHorizontal = components.reduce(1) { max($0, $1.horizontal) }
    let maxVertical = components.reduce(1) { max($0, $1.vertical) }
    var blocks = 0
    for component in components {
      blocks +=
        ceil(size.width * component.horizontal, 8 * maxHorizontal)
        * ceil(size.height * component.vertical, 8 * maxVertical)
    }
    return blocks * (isProgressive ? 1 : 2) / 8
  }

  private func ceil(_ value: Int, _ divisor: Int) -> Int { (value + divisor - 1) / divisor }
}

/// The parts of an ICC profile, which APP2 segments of at most 64 KiB carry (ICC.1:2022, annex B.4).
private struct ICCParts {
  private var parts: [UInt8: Data] = [:]
  private var count: UInt8?
  private var isSound = true

  mutating func add(_ segment: RawSpan) {
    guard segment.holds("ICC_PROFILE\0"), let number = segment.byte(at: 12), let count = segment.byte(at: 13)
    else { return }
    let isNew = parts[number] == nil && (self.count ?? count) == count
    isSound = isSound && isNew && number >= 1 && number <= count
    self.count = count
    guard isSound else { return }
    parts[number] = segment.extracting(droppingFirst: 14).withUnsafeBytes { Data($0) }
  }

  /// The profile, unless parts are missing, doubled or contradict each other: then it is ignored.
  func assembled() -> Data? {
    guard isSound, let count, parts.count == Int(count) else { return nil }
    var profile = Data()
    for number in 1...count {
      guard let part = parts[number] else { return nil }
      profile.append(part)
    }
    return profile
  }
}
