import FoundationEssentials

/// The parts of an ICC profile, which APP2 segments of at most 64 KiB carry (ICC.1:2022, annex B.4).
struct ICCParts {
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
    parts[number] = segment.extracting(droppingFirst: 14).copy()
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

extension RawSpan {
  /// The bytes, to keep.
  func copy() -> Data { withUnsafeBytes { Data($0) } }
}

/// What the colours of a JPEG mean.
enum JPEGProfile {
  /// The colour space whose numbers a profile explains (ICC.1:2022, 7.2.6), as its signature: `GRAY`, `RGB `,
  /// `CMYK`. `nil` when the bytes are no profile, or not all of one.
  static func colorSpace(of profile: Data) -> String? {
    let bytes = profile.bytes
    guard bytes.holds("acsp", at: 36), let size = bytes.uint32(at: 0, bigEndian: true), size >= 132,
      Int(size) <= bytes.byteCount
    else { return nil }
    return ["GRAY", "RGB ", "CMYK"].first { bytes.extracting(16..<20).copy() == Data($0.utf8) }
  }

  /// Whether a picture of so many components can have this profile. One for RGB explains grey, too: as red,
  /// green and blue that are equal.
  static func isUsable(_ profile: Data, componentCount: Int) -> Bool {
    switch (componentCount, colorSpace(of: profile)) {
    case (1, "GRAY"), (1, "RGB "), (3, "RGB "), (4, "CMYK"): true
    default: false
    }
  }
}
