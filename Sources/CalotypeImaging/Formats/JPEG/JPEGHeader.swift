package import FoundationEssentials

/// The header of a JPEG: the marker segments before the first scan (ITU-T T.81, annex B).
///
/// The walk over the segments is as lenient as that of libjpeg: fill bytes and garbage between segments are skipped. It
/// reads no entropy-coded data, pauses at the end of the bytes and resumes when there are more.
package struct JPEGHeader {
  /// A colour component.
  package struct Component: Hashable {
    /// Horizontal and vertical sampling factor, 1 to 4.
    var horizontal: Int
    var vertical: Int
  }

  /// The stored width and height.
  package private(set) var size = PixelSize(width: 0, height: 0)
  /// Bits per sample.
  private(set) var precision = 0
  /// The second byte of the frame marker, 0xC0 to 0xCF.
  private(set) var process: UInt8 = 0
  package private(set) var components: [Component] = []
  /// The orientation in the Exif segments; the first one with the tag wins.
  package private(set) var orientation: Orientation?
  /// The colour profile, if all of its parts are present.
  package private(set) var profile: Data?
  /// The offset of the data of the first scan; `nil` if the bytes end before.
  package private(set) var scanOffset: Int?
  /// A Boolean value that indicates whether there are several scans.
  private(set) var hasSeveralScans = false
  /// Exif and XMP, if they are kept.
  package private(set) var metadata = ImageMetadata()
  /// The image resources of Photoshop, of all segments that have some, if metadata are kept.
  private(set) var photoshop = Data()
  /// The number of bytes at which the walk can resume.
  private(set) var neededByteCount = 2

  /// The offset at which the walk resumes: at a marker, or at the expected position of one.
  private var offset = 0
  private var hasEnded = false
  private var profileParts = ICCParts()
  private let keepsMetadata: Bool

  /// A Boolean value that indicates whether more bytes would add nothing to the header.
  var isComplete: Bool { scanOffset != nil || hasEnded }
  var isProgressive: Bool { process == 0xC2 || process == 0xCA }
  var isArithmetic: Bool { process >= 0xC9 }

  /// Prepares a walk.
  init(keepsMetadata: Bool = false) {
    self.keepsMetadata = keepsMetadata
  }

  /// Walks over the segments of a whole file up to the first scan.
  ///
  /// - Throws: `.truncated` if the bytes end before the frame header, `.corrupt` if there is none or it is invalid,
  ///   `.unsupportedFormat` for processes and precisions that no coder of this module supports.
  package init(_ data: Data, keepsMetadata: Bool = false) throws(ImagingError) {
    self.init(keepsMetadata: keepsMetadata)
    // Typed throws and closures of `Data` do not mix; a span has no closure.
    let bytes = data.bytes
    try walk(bytes)
    try end(byteCount: bytes.byteCount)
  }

  /// Ends the input.
  ///
  /// - Throws: `.truncated` or `.corrupt` if there was no frame header.
  mutating func end(byteCount: Int) throws(ImagingError) {
    if scanOffset == nil { profile = profileParts.assembled() }
    guard process == 0 else { return }
    guard byteCount >= 2 else { throw .corrupt(.jpeg, reason: "no start marker", offset: 0) }
    guard hasEnded else { throw .truncated(.jpeg, byteCount: byteCount) }
    throw .corrupt(.jpeg, reason: "an end marker before the frame header", offset: offset)
  }

  /// Walks as far as the bytes allow; they are the file from its beginning, more than in the last call. Done when
  /// ``scanOffset`` is set.
  mutating func walk(_ bytes: RawSpan) throws(ImagingError) {
    guard bytes.byteCount >= neededByteCount, scanOffset == nil, !hasEnded else { return }
    if offset == 0 {
      guard bytes.holds([0xFF, 0xD8]) else {
        throw .corrupt(.jpeg, reason: "no start marker", offset: 0)
      }
      offset = 2
    }
    while scanOffset == nil, !hasEnded, try step(bytes) {}
  }

  /// Reads the next segment; false if it is incomplete.
  private mutating func step(_ bytes: RawSpan) throws(ImagingError) -> Bool {
    var position = offset
    guard let marker = Self.nextMarker(in: bytes, from: &position) else {
      // The bytes before are garbage; the last byte may begin a marker.
      offset = max(
        offset, bytes.byte(at: bytes.byteCount - 1) == 0xFF ? bytes.byteCount - 1 : bytes.byteCount)
      neededByteCount = bytes.byteCount + 1
      return false
    }
    switch marker {
    case 0x01, 0xD0...0xD8:
      offset = position
      return true
    case 0xD9:
      offset = position
      hasEnded = true
      return false
    default: break
    }
    // No bytes before are searched again: the walk resumes at the second byte of the marker, or before.
    offset = position - 2
    guard let length = bytes.uint16(at: position, bigEndian: true) else {
      neededByteCount = position + 2
      return false
    }
    // A length includes its own two bytes. Some writers of application data get that wrong, and readers accept it.
    guard length >= 2 || Self.isSkippable(marker) else {
      throw .corrupt(.jpeg, reason: "a segment of length \(length)", offset: position)
    }
    let end = position + max(2, Int(length))
    guard end <= bytes.byteCount else {
      neededByteCount = end
      return false
    }
    try take(bytes.extracting(position + 2..<end), of: marker, at: position)
    if marker == 0xDA {
      scanOffset = end
      profile = profileParts.assembled()
    }
    offset = end
    return true
  }

  private mutating func take(_ segment: RawSpan, of marker: UInt8, at offset: Int) throws(ImagingError) {
    switch marker {
    case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
      guard process == 0 else { throw .corrupt(.jpeg, reason: "two frame headers", offset: offset) }
      try readFrame(segment, process: marker, offset: offset)
    case 0xDA:
      guard process != 0 else {
        throw .corrupt(.jpeg, reason: "a scan before the frame header", offset: offset)
      }
      hasSeveralScans = isProgressive || segment.byte(at: 0).map { Int($0) < components.count } ?? false
    case 0xE1: takeApplicationData(segment)
    case 0xE2: profileParts.add(segment)
    case 0xED where keepsMetadata && segment.holds(Self.photoshopName):
      photoshop.append(segment.extracting(droppingFirst: Self.photoshopName.utf8CodeUnitCount).copy())
    default: break
    }
  }

  /// Reads Exif (CIPA DC-008, 4.7.2) or XMP (ISO 16684-3, 6.2) and keeps the block with the orientation, otherwise the
  /// first.
  private mutating func takeApplicationData(_ segment: RawSpan) {
    if segment.holds(Self.exifName) {
      let isFirst = metadata.exif == nil
      var decides = false
      if orientation == nil {
        orientation = Exif.orientation(in: segment)
        decides = orientation != nil
      }
      guard keepsMetadata, isFirst || decides else { return }
      metadata.exif = segment.extracting(droppingFirst: Self.exifName.utf8CodeUnitCount).copy()
    } else if keepsMetadata, metadata.xmp == nil, segment.holds(Self.xmpName) {
      metadata.xmp = segment.extracting(droppingFirst: Self.xmpName.utf8CodeUnitCount).copy()
    }
  }

  /// The prefix of an APP1 segment with Exif.
  static let exifName: StaticString = "Exif\0\0"
  /// The prefix of an APP1 segment with XMP.
  static let xmpName: StaticString = "http://ns.adobe.com/xap/1.0/\0"
  /// The prefix of an APP13 segment with image resources of Photoshop.
  static let photoshopName: StaticString = "Photoshop 3.0\0"

  /// Returns the second byte of the next marker; moves `offset` behind it.
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

  /// Returns true for application data and comments.
  private static func isSkippable(_ marker: UInt8) -> Bool {
    (0xE0...0xEF).contains(marker) || marker == 0xFE
  }

  private mutating func readFrame(_ segment: RawSpan, process: UInt8, offset: Int) throws(ImagingError) {
    guard let precision = segment.byte(at: 0), let height = segment.uint16(at: 1, bigEndian: true),
      let width = segment.uint16(at: 3, bigEndian: true), let count = segment.byte(at: 5),
      count > 0, segment.byteCount == 6 + 3 * Int(count)
    else { throw .corrupt(.jpeg, reason: "a frame header of the wrong length", offset: offset) }
    // T.81, table B.2: 8 or 12, and 2 to 16 in lossless processes.
    guard (2...16).contains(precision) else {
      throw .corrupt(.jpeg, reason: "samples of \(precision) bits", offset: offset)
    }
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

  /// Refuses processes that libjpeg-turbo cannot decode to 8 bits, with a reason that names them.
  package func checkSupport() throws(ImagingError) {
    switch process {
    case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA: break
    case 0xC3, 0xCB: throw .unsupportedFormat(.jpeg, reason: "lossless JPEG")
    default: throw .unsupportedFormat(.jpeg, reason: "hierarchical JPEG")
    }
    guard precision == 8 else {
      throw .unsupportedFormat(.jpeg, reason: "samples of \(precision) bits; only 8 are supported")
    }
  }

  /// The smallest number of bytes of entropy-coded data in a complete picture.
  ///
  /// Each Huffman code has a bit or more: a block of a sequential scan has at least two codes, one of a first
  /// progressive scan one. Arithmetic coding has no such bound. The number exposes a false size before memory is
  /// allocated for it.
  package var minimumScanBytes: Int {
    guard !isArithmetic else { return 0 }
    return blockCount * (isProgressive ? 1 : 2) / 8
  }

  /// Blocks of 8×8 samples in all components.
  var blockCount: Int {
    let maxHorizontal = components.reduce(1) { max($0, $1.horizontal) }
    let maxVertical = components.reduce(1) { max($0, $1.vertical) }
    var blocks = 0
    for component in components {
      blocks +=
        ceil(size.width * component.horizontal, 8 * maxHorizontal)
        * ceil(size.height * component.vertical, 8 * maxVertical)
    }
    return blocks
  }

  /// The number of stored samples per pixel: 1.5 for 4:2:0.
  var samplesPerPixel: Double {
    let most = components.reduce((1, 1)) { (max($0.0, $1.horizontal), max($0.1, $1.vertical)) }
    let samples = components.reduce(0) { $0 + $1.horizontal * $1.vertical }
    return Double(samples) / Double(most.0 * most.1)
  }

  private func ceil(_ value: Int, _ divisor: Int) -> Int { (value + divisor - 1) / divisor }
}
