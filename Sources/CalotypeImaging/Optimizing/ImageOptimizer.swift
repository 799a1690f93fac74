public import FoundationEssentials

/// A converter of files to smaller ones that show the same, pixel for pixel, and keep their metadata.
///
/// ```swift
/// if let smaller = try ImageOptimizer().optimized(data) { … }
/// ```
///
/// JPEG gets optimised codes and progressive scans; PNG, also animated, gets fewer bits per pixel, other filters and stronger
/// compression; lossless WebP is compressed again, also animated; GIF gets other palettes and transparency. Colours of fully
/// transparent pixels are kept. Each result is decoded and compared before it is delivered.
///
/// With ``target``, pixels of JPEG, PNG and GIF may change as long as the picture measures as well as the target says.
public struct ImageOptimizer: Sendable {
  /// The limits on the files to read; `nil` for ``DecodeLimits/default``.
  public var limits: DecodeLimits?
  /// The effort to spend. ``EncodeOptions/Effort/small`` by default.
  public var effort: EncodeOptions.Effort = .small
  /// The measured quality that a picture has at least, compared with the file, if its pixels may change; `nil`, which is the
  /// default, changes none.
  ///
  /// A JPEG gets a lower quality, a PNG a palette of at most 256 colours, pixels of a GIF repeat earlier ones. A file whose
  /// pixels change has to become a tenth smaller than without. Each further call may change it again.
  public var target: QualityTarget?

  /// Creates an optimizer.
  ///
  /// - Parameter limits: The limits on the files to read; `nil` for ``DecodeLimits/default``.
  public init(limits: DecodeLimits? = nil) { self.limits = limits }

  /// The formats that can get smaller.
  public static let formats: [ImageFormat] = [.jpeg, .png, .apng, .webp, .gif]

  /// The share of the file without loss that a file with changed pixels has at most.
  private static let worthwhile = 0.9

  /// Returns a smaller file with the same pixels and metadata; `nil` if there is none.
  ///
  /// Lossy WebP, animated WebP with metadata, animated PNG with profiles or of 16 bits, GIFs with comments, and animations
  /// with durations that are rounded or replaced when they are read are left alone, and so are all other formats. Of a PNG
  /// that gets another kind of pixels, the chunks `bKGD`, `hIST` and `sBIT` go, which describe the old ones.
  ///
  /// - Parameter data: The file.
  /// - Throws: The errors of ``CoderRegistry/decode(_:options:)`` for a file that cannot be decoded, or is damaged, and those
  ///   of encoders.
  public func optimized(_ data: Data) throws(ImagingError) -> Data? {
    let info = try CoderRegistry.standard.probe(data, limits: limits ?? .default)
    var options = EncodeOptions(format: info.format, isLossless: info.format == .webp)
    options.effort = effort
    let made: Data?
    switch info.format {
    case .jpeg: made = try JPEGOptimizer.optimized(data, limits: limits ?? .default)
    case .png: made = try PNGOptimizer.optimized(data, options, limits: limits)
    case .webp: made = try Self.webp(data, info, options, limits)
    case .gif: made = try GIFOptimizer.optimized(data, options, limits: limits)
    case .apng: made = try APNGOptimizer.optimized(data, options, limits: limits)
    default: made = nil
    }
    var best: Data?
    if let made, made.count < data.count {
      if info.frameCount == 1, info.format != .gif { try check(made, like: data, info) }
      best = made
    }
    guard let target else { return best }
    let lossy = try LossyOptimizer(target: target, options: options, limits: limits).optimized(data, info)
    guard let lossy, Double(lossy.count) <= Self.worthwhile * Double(best?.count ?? data.count) else {
      return best
    }
    return lossy
  }

  private static func webp(
    _ data: Data, _ info: ImageInfo, _ options: EncodeOptions, _ limits: DecodeLimits?
  ) throws(ImagingError) -> Data? {
    guard WebPEncoder.isLossless(data, isAnimated: info.frameCount > 1) else { return nil }
    if info.frameCount > 1 { return try AnimationOptimizer.optimized(data, options, limits: limits) }
    let image = try WebPDecoder().decode(data, minimumSize: nil, options: .comparing(.rgba8, limits))
    let picture = try WebPEncoder().encode(Image(bitmap: image.bitmap), options: options)
    return try WebPMetadataWriter.replacingPicture(of: data, by: picture)
  }

  /// - Throws: `encodingFailed` if a file does not show the same as another one.
  private func check(_ made: Data, like data: Data, _ info: ImageInfo) throws(ImagingError) {
    let options = DecodeOptions.comparing(info.bitDepth > 8 ? .native : .rgba8, limits)
    let (old, new) = (
      try CoderRegistry.standard.decode(data, options: options),
      try CoderRegistry.standard.decode(made, options: options)
    )
    let format: PixelFormat = info.bitDepth > 8 ? .rgba16 : .rgba8
    guard try old.bitmap.widened(to: format) == new.bitmap.widened(to: format), old.profile == new.profile
    else {
      throw .encodingFailed(info.format, reason: "the smaller file shows something else; please report it")
    }
  }
}

extension Bitmap {
  fileprivate func widened(to format: PixelFormat) throws(ImagingError) -> Bitmap {
    guard self.format != format else { return self }
    return try converted(to: .rgba8).converted(to: format)
  }
}

extension WebPEncoder {
  /// Returns true if the picture of a still file, or all frames of an animation without metadata, are stored without loss.
  fileprivate static func isLossless(_ data: Data, isAnimated: Bool) -> Bool {
    data.withUnsafeBytes { bytes in
      var frames = 0
      // The chunks follow the twelve bytes of the RIFF header.
      var at = 12
      while at + 8 <= bytes.count {
        let name = String(decoding: bytes[at..<at + 4], as: UTF8.self)
        let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)))
        switch name {
        case "VP8L" where !isAnimated: return true
        case "VP8L": frames -= 1
        case "VP8 ", "ALPH": return false
        case "ANMF" where isAnimated:
          frames += 1
          // Readers replace a duration of at most 10 milliseconds, and the new file would have theirs.
          guard at + 24 <= bytes.count, bytes[at + 20] > 10 || bytes[at + 21] > 0 || bytes[at + 22] > 0 else {
            return false
          }
          // The chunks of a frame follow its 16 bytes of position and duration.
          at += 24
          continue
        case "VP8X", "ANIM": break
        default: if isAnimated { return false }
        }
        at += 8 + length + length % 2
      }
      return isAnimated && frames == 0
    }
  }
}
