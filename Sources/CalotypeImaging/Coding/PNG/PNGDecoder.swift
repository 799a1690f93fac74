import CSPNG
public import FoundationEssentials
import Glibc

/// Decodes PNG (ISO/IEC 15948, W3C third edition) and the first frame of APNG.
///
/// All colour types and depths, interlaced or not, become RGBA8 with straight alpha; 16-bit samples keep their high
/// byte. Neither gamma nor profiles are applied. Text and unknown chunks are skipped unread. A wrong CRC is an
/// error in critical chunks; ancillary chunks with one are ignored.
public struct PNGDecoder: ImageDecoding {
  /// Bytes of an inflated ICC profile at most; a larger one is treated as unreadable.
  static let profileByteLimit = 8 << 20

  /// Creates a decoder.
  public init() {}

  /// The formats it reads.
  public var formats: [ImageFormat] { [.png, .apng] }

  /// `apng` when an acTL chunk that announces frames comes before the image data, `png` for any other PNG.
  ///
  /// An animation is only seen if `prefix` reaches the acTL chunk.
  public func format(of prefix: Data) -> ImageFormat? {
    prefix.withUnsafeBytes { bytes in
      guard bytes.starts(with: PNGHeader.signature) else { return nil }
      var cursor = PNGChunkCursor(bytes, from: PNGHeader.signature.count)
      while let chunk = try? cursor.next(), chunk.type != .imageData, chunk.type != .end {
        guard chunk.type == .animationControl, chunk.payload.count == 8 else { continue }
        if cursor.hasValidCRC(chunk), bytes.bigEndian32(at: chunk.payload.lowerBound) > 0 { return .apng }
      }
      return .png
    }
  }

  /// What the chunks say. Costs a walk over them; of everything compressed, only an ICC profile is inflated.
  ///
  /// The frames of a damaged animation are those before the damage.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try withBytes(of: data) { bytes throws(ImagingError) in
      info(of: try PNGStructure(bytes, limits: limits), bytes)
    }
  }

  /// Decodes the image, or the first frame of an animation on its canvas, at full size.
  ///
  /// Damage behind the pixels of the first frame is no error. Cancellation is seen every 256 KiB of pixels.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try withBytes(of: data) { bytes throws(ImagingError) in
      let structure = try PNGStructure(bytes, limits: options.limits)
      let reader = PNGPixelReader(bytes, structure)
      let canvas = structure.header.size
      // The default image covers the canvas, be it part of the animation or not.
      let frame = structure.animation?.frames.first.flatMap { $0.pixels == .imageData ? nil : $0 }
      let coversCanvas = frame.map { $0.size == canvas } ?? true
      var failure: ImagingError?
      let bitmap = try Bitmap(size: canvas) { pixels throws(ImagingError) in
        guard let base = pixels.baseAddress else { throw .outOfMemory(byteCount: pixels.count) }
        if !coversCanvas || options.allowsPartial { memset(base, 0, pixels.count) }
        let outcome: PNGPixelReader.Outcome
        if let frame {
          let start = (frame.y * canvas.width + frame.x) * 4
          outcome = try reader.read(frame, into: base + start, bytesPerRow: canvas.width * 4)
        } else {
          outcome = try reader.readImage(into: base, bytesPerRow: canvas.width * 4)
        }
        failure = outcome.failure
        if let failure, outcome.rows == 0 || !options.allowsPartial || !failure.leavesPixels { throw failure }
        return failure == nil && coversCanvas && !structure.hasAlpha
      }
      let info = info(of: structure, bytes)
      return Image(bitmap: bitmap, info: info, orientation: info.orientation, isPartial: failure != nil)
    }
  }

  private func info(of structure: PNGStructure, _ bytes: UnsafeRawBufferPointer) -> ImageInfo {
    var info = ImageInfo(
      format: .png, size: structure.header.size, hasAlpha: structure.hasAlpha,
      bitDepth: Int(structure.header.bitDepth))
    if let animation = structure.animation {
      info.format = .apng
      if !animation.frames.isEmpty {
        info.frameCount = animation.frames.count
        info.loopCount = animation.plays
        info.durations = animation.frames.map(\.duration)
      }
    }
    if let exif = structure.exif, let orientation = Exif.orientation(in: Data(bytes[exif.payload])) {
      info.orientation = orientation
    }
    if let profile = structure.profile.flatMap({ inflate(profile: $0, bytes) }) {
      info.colorProfile = ICCProfile.description(of: profile)
    } else if structure.isStandardRGB {
      info.colorProfile = "sRGB"
    }
    return info
  }

  /// The ICC profile of an iCCP chunk; `nil` when it is damaged or larger than the limit.
  private func inflate(profile chunk: PNGChunk, _ bytes: UnsafeRawBufferPointer) -> Data? {
    guard chunk.payload.count <= Self.profileByteLimit else { return nil }
    // libspng reads up to the first IDAT header. Any image will do: profiles are not checked against it.
    let header = PNGHeader(
      size: PixelSize(width: 1, height: 1), bitDepth: 8, colorType: .rgb, isInterlaced: false)
    let source = PNGByteSource(
      bytes,
      segments: [
        .owned(header.encoded), .input(chunk.range), .owned(PNGChecksum.chunk(.imageData, [])),
      ])
    guard let context = try? SPNGContext(reading: source, chunkLimit: Self.profileByteLimit) else {
      return nil
    }
    // The context owns the bytes of the profile, and its handle alone does not keep it alive.
    defer { withExtendedLifetime(context) {} }
    var profile = spng_iccp()
    guard spng_get_iccp(context.handle, &profile) == 0, let start = profile.profile else { return nil }
    return Data(bytes: start, count: profile.profile_len)
  }

  /// Runs `body` with all bytes of `data`; refuses empty input.
  private func withBytes<Result>(
    of data: Data, _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Result
  ) throws(ImagingError) -> Result {
    guard !data.isEmpty else { throw .emptyInput }
    return try data.withUnsafeBytes { bytes in
      Swift.Result { () throws(ImagingError) in try body(bytes) }
    }.get()
  }
}

extension ImagingError {
  /// Whether what was decoded before the error is worth showing.
  fileprivate var leavesPixels: Bool {
    switch self {
    case .corrupt, .truncated: true
    default: false
    }
  }
}
