import FoundationEssentials

/// A writer of a PNG file that appends chunk by chunk.
struct PNGFileWriter {
  /// The largest IDAT or fdAT chunk, in bytes; any number up to 2^31 - 1 is allowed.
  private static let dataLimit = 1 << 30
  private(set) var data: Data
  private var sequence: UInt32 = 0
  private let isGray: Bool

  /// Starts a file.
  init(_ header: PNGHeader) {
    isGray = header.colorType == .gray || header.colorType == .grayAlpha
    data = Data(header.encoded)
  }

  mutating func add(_ type: PNGChunkType, _ payload: [UInt8]) {
    data.append(contentsOf: PNGChecksum.chunk(type, payload))
  }

  /// Adds the colour profile, if there is one to keep.
  mutating func addProfile(_ profile: ColorProfile?) throws(ImagingError) {
    switch profile {
    case nil: break
    case .sRGB: add(.standardRGB, [1])
    case .cicp(let points): addCodePoints(points)
    case .icc(let profile):
      // PNG 11.3.2.3: grey pixels have a grey profile, all others an RGB profile.
      guard ICCHeader.colorSpace(of: profile) == (isGray ? "GRAY" : "RGB ") else { return }
      let compressed = try PNGDeflater.stream(profile)
      // The profile name is only informative.
      add(.profile, Array("ICC profile".utf8) + [0, 0] + compressed)
    case .calibrated(let calibration):
      if let gamma = calibration.gamma { add(.gamma, Self.number(gamma)) }
      if let white = calibration.white, let red = calibration.red, let green = calibration.green,
        let blue = calibration.blue
      {
        add(.chromaticities, [white, red, green, blue].flatMap { Self.number($0.x) + Self.number($0.y) })
      }
    }
  }

  /// Adds cICP and the peak luminance. The pixels are RGB, so that the matrix is 0.
  private mutating func addCodePoints(_ points: ColorProfile.CodePoints) {
    let isFullRange = points.isFullRange || points.matrix != 0
    add(.codePoints, [points.primaries, points.transfer, 0, isFullRange ? 1 : 0])
    guard let peak = points.peakLuminance, peak > 0, peak <= 10_000 else { return }
    // Multiples of 0.0001 cd/m²; an average light level of 0 is an unknown one.
    add(.contentLight, UInt32(peak * 10_000 + 0.5).bigEndianBytes + UInt32(0).bigEndianBytes)
  }

  /// Encodes a multiple of 1/100000.
  private static func number(_ value: Double) -> [UInt8] {
    UInt32(max(0, min(value.isFinite ? value : 0, 21_000)) * 100_000 + 0.5).bigEndianBytes
  }

  /// Adds Exif and XMP.
  mutating func add(_ metadata: ImageMetadata) {
    if let exif = metadata.exif { add(.exif, Array(exif)) }
    if let xmp = metadata.xmp { add(.text, PNGText.payload(xmp: xmp)) }
  }

  /// Adds the palette and the transparency of a layout, up to the last transparent entry.
  mutating func add(_ layout: PNGLayout) {
    if !layout.palette.isEmpty { add(.palette, layout.palette.flatMap { [$0.red, $0.green, $0.blue] }) }
    let alphas = layout.palette.map(\.alpha)
    if let last = alphas.lastIndex(where: { $0 < 255 }) { add(.transparency, Array(alphas[...last])) }
    if !layout.transparency.isEmpty { add(.transparency, layout.transparency) }
  }

  /// Adds the pixels of the image.
  mutating func addImageData(_ stream: Data) {
    var rest = stream[...]
    repeat {
      addLarge(.imageData, [], rest.prefix(Self.dataLimit))
      rest = rest.dropFirst(Self.dataLimit)
    } while !rest.isEmpty
  }

  /// Adds an acTL chunk.
  mutating func addAnimation(frames: Int, plays: Int) {
    add(
      .animationControl,
      UInt32(clamping: frames).bigEndianBytes + UInt32(clamping: min(plays, Int(Int32.max))).bigEndianBytes)
  }

  /// Adds an fcTL chunk. `milliseconds` above 65535 are rounded to tenths of a second or seconds.
  mutating func addFrame(_ area: PixelRectangle, milliseconds: Int, blend: PNGFrame.Blend) {
    var payload = nextSequence()
    for number in [area.size.width, area.size.height, area.x, area.y] {
      payload += UInt32(clamping: number).bigEndianBytes
    }
    let (numerator, denominator) = Self.delay(milliseconds)
    for number in [numerator, denominator] { payload += [UInt8(number >> 8), UInt8(number & 255)] }
    add(.frameControl, payload + [FrameDisposal.keep.rawValue, blend.rawValue])
  }

  private static func delay(_ milliseconds: Int) -> (Int, Int) {
    let milliseconds = min(max(0, milliseconds), 65_535_000)
    for denominator in [1000, 100, 10, 1] {
      let numerator = (milliseconds + 500 / denominator) / (1000 / denominator)
      if numerator <= 65535 { return (numerator, denominator) }
    }
    return (65535, 1)
  }

  /// Adds the pixels of a frame that is not the default image.
  mutating func addFrameData(_ stream: Data) {
    var rest = stream[...]
    repeat {
      addLarge(.frameData, nextSequence(), rest.prefix(Self.dataLimit))
      rest = rest.dropFirst(Self.dataLimit)
    } while !rest.isEmpty
  }

  /// Returns the whole file.
  mutating func finish() -> Data {
    add(.end, [])
    return data
  }

  private mutating func nextSequence() -> [UInt8] {
    defer { sequence += 1 }
    return sequence.bigEndianBytes
  }

  private mutating func addLarge(_ type: PNGChunkType, _ head: [UInt8], _ body: Data) {
    data.append(contentsOf: UInt32(truncatingIfNeeded: head.count + body.count).bigEndianBytes)
    let named = type.bytes + head
    data.append(contentsOf: named)
    data.append(body)
    let start = named.withUnsafeBytes { PNGChecksum.crc(of: $0) }
    data.append(
      contentsOf: body.withUnsafeBytes { PNGChecksum.crc(of: $0, continuing: start) }.bigEndianBytes)
  }
}
