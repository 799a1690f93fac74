import FoundationEssentials

/// The parts of an ICC profile, which is split over APP2 segments of at most 64 KiB (ICC.1:2022, annex B.4).
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

  /// Returns the profile; `nil` if parts are missing, duplicated or contradict each other.
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
  /// Returns a copy of the bytes.
  func copy() -> Data { withUnsafeBytes { Data($0) } }
}
