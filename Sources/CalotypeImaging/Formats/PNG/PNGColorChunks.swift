import FoundationEssentials

/// The colour chunks of a PNG. Their precedence is that of the third edition (4.3): cICP, iCCP, sRGB, then gAMA and
/// cHRM.
struct PNGColorChunks: Sendable {
  private var codePoints: ColorProfile?
  private var embedded: PNGChunk?
  private var isStandardRGB = false
  private var gamma: Double?
  private var primaries: ColorProfile.Calibration?

  /// Adds a chunk with a correct CRC. The first of several of a type counts; invalid ones are ignored.
  mutating func add(_ chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer) {
    let start = chunk.payload.lowerBound
    switch (chunk.type, chunk.payload.count) {
    case (.profile, _):
      if embedded == nil { embedded = chunk }
    case (.standardRGB, 1):
      // There are four rendering intents.
      isStandardRGB = isStandardRGB || bytes[start] <= 3
    case (.gamma, 4):
      let value = bytes.bigEndian32(at: start)
      if gamma == nil, value > 0, value <= UInt32(Int32.max) { gamma = Double(value) / 100_000 }
    case (.chromaticities, 32):
      if primaries == nil { primaries = Self.primaries(bytes, at: start) }
    case (.codePoints, 4):
      if codePoints == nil {
        codePoints = Self.profile(
          primaries: bytes[start], transfer: bytes[start + 1], matrix: bytes[start + 2],
          isFullRange: bytes[start + 3] == 1)
      }
    default: break
    }
  }

  /// Returns the effective profile; `nil` if there is none or it is not readable. An ICC profile inflates to at most
  /// `limit` bytes.
  func profile(_ bytes: UnsafeRawBufferPointer, limit: Int) -> ColorProfile? {
    if let codePoints { return codePoints }
    if let embedded, let data = Self.inflate(embedded, bytes, limit: limit) { return .icc(data) }
    if isStandardRGB { return .sRGB }
    guard gamma != nil || primaries?.white != nil else { return nil }
    var calibration = primaries ?? ColorProfile.Calibration()
    calibration.gamma = gamma
    return .calibrated(calibration)
  }

  /// Inflates iCCP (11.3.2.3): a name of 1 to 79 bytes, a zero, the method 0, a zlib stream.
  private static func inflate(_ chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer, limit: Int) -> Data? {
    let payload = bytes[chunk.payload]
    guard let zero = payload.prefix(80).firstIndex(of: 0), zero > payload.startIndex,
      payload.endIndex - zero >= 2, payload[zero + 1] == 0
    else { return nil }
    let stream = UnsafeRawBufferPointer(rebasing: payload[(zero + 2)...])
    guard let profile = PNGInflater.inflate(stream, limit: limit), !profile.isEmpty else { return nil }
    return Data(profile)
  }

  /// Reads cHRM (11.3.2.1): white, red, green, blue, x and y in units of 1/100000.
  ///
  /// - Returns: The points; none if a point has no luminance, which makes the chunk useless, but leaves it the first;
  ///   `nil` for a chunk that is ignored.
  private static func primaries(_ bytes: UnsafeRawBufferPointer, at start: Int) -> ColorProfile.Calibration? {
    var points: [ColorProfile.Calibration.Point] = []
    var isUsable = true
    for offset in stride(from: start, to: start + 32, by: 8) {
      let (x, y) = (bytes.bigEndian32(at: offset), bytes.bigEndian32(at: offset + 4))
      guard x <= UInt32(Int32.max), y <= UInt32(Int32.max) else { return nil }
      isUsable = isUsable && y > 0
      points.append(.init(x: Double(x) / 100_000, y: Double(y) / 100_000))
    }
    return isUsable ? .init(white: points[0], red: points[1], green: points[2], blue: points[3]) : .init()
  }

  /// Converts code points of ITU-T H.273 that a gamma or the sRGB curve expresses exactly. RGB has matrix 0.
  static func profile(
    primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool
  ) -> ColorProfile? {
    guard matrix == 0, isFullRange, let points = points(of: primaries) else { return nil }
    let gamma: Double?
    switch transfer {
    case 4: gamma = 1 / 2.2
    case 5: gamma = 1 / 2.8
    case 8: gamma = 1
    case 13: gamma = nil
    default: return nil
    }
    if primaries == 1 && gamma == nil { return .sRGB }
    let point = { (index: Int) in ColorProfile.Calibration.Point(x: points[index], y: points[index + 1]) }
    return .calibrated(.init(gamma: gamma, white: point(6), red: point(0), green: point(2), blue: point(4)))
  }

  /// Returns red, green, blue and white as in table 2 of H.273.
  private static func points(of primaries: UInt8) -> [Double]? {
    switch primaries {
    case 1: [0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290]
    case 4: [0.67, 0.33, 0.21, 0.71, 0.14, 0.08, 0.310, 0.316]
    case 5: [0.64, 0.33, 0.29, 0.60, 0.15, 0.06, 0.3127, 0.3290]
    case 6, 7: [0.630, 0.340, 0.310, 0.595, 0.155, 0.070, 0.3127, 0.3290]
    case 9: [0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290]
    case 11: [0.680, 0.320, 0.265, 0.690, 0.150, 0.060, 0.314, 0.351]
    case 12: [0.680, 0.320, 0.265, 0.690, 0.150, 0.060, 0.3127, 0.3290]
    default: nil
    }
  }
}

extension ColorProfile {
  /// Returns the profile of a cICP chunk (PNG, third edition, 11.3.2.6); `nil` for code points that no gamma or sRGB
  /// curve expresses.
  package static func codePoints(_ chunk: [UInt8]) -> ColorProfile? {
    guard chunk.count == 4 else { return nil }
    return PNGColorChunks.profile(
      primaries: chunk[0], transfer: chunk[1], matrix: chunk[2], isFullRange: chunk[3] == 1)
  }
}
