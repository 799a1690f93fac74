import FoundationEssentials

/// The colour chunks of a PNG. Their precedence is that of the third edition (4.3): cICP, iCCP, sRGB, then gAMA and
/// cHRM.
struct PNGColorChunks: Sendable {
  private var codePoints: ColorProfile.CodePoints?
  private var contentLight: Double?
  private var masteringLight: Double?
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
        codePoints = PNGCodePoints.points(UnsafeRawBufferPointer(rebasing: bytes[chunk.payload]))
      }
    case (.contentLight, 8):
      if contentLight == nil { contentLight = PNGCodePoints.luminance(bytes.bigEndian32(at: start)) }
    case (.masteringDisplay, 24):
      if masteringLight == nil { masteringLight = PNGCodePoints.luminance(bytes.bigEndian32(at: start + 16)) }
    default: break
    }
  }

  /// The range of brightness that the samples encode.
  var dynamicRange: ImageInfo.DynamicRange { codePoints?.dynamicRange ?? .standard }

  /// Returns the effective profile; `nil` if there is none or it is not readable. An ICC profile inflates to at most
  /// `limit` bytes.
  func profile(_ bytes: UnsafeRawBufferPointer, limit: Int) -> ColorProfile? {
    if var codePoints {
      codePoints.peakLuminance = contentLight ?? masteringLight
      return codePoints.profile
    }
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
}
