public import FoundationEssentials

/// A converter of files to smaller ones that show the same, pixel for pixel, and keep their metadata.
///
/// ```swift
/// if let smaller = try ImageOptimizer().optimized(data) { … }
/// ```
///
/// JPEG gets optimised codes and progressive scans; PNG gets fewer bits per pixel, other filters and stronger compression; lossless WebP is compressed again; GIF gets other
/// palettes and transparency. Colours of fully transparent pixels are kept. Each result is decoded and compared before it is
/// delivered.
public struct ImageOptimizer: Sendable {
  /// The limits on the files to read; `nil` for ``DecodeLimits/default``.
  public var limits: DecodeLimits?
  /// The effort to spend. ``EncodeOptions/Effort/small`` by default.
  public var effort: EncodeOptions.Effort = .small

  /// Creates an optimizer.
  ///
  /// - Parameter limits: The limits on the files to read; `nil` for ``DecodeLimits/default``.
  public init(limits: DecodeLimits? = nil) { self.limits = limits }

  /// The formats that can get smaller.
  public static let formats: [ImageFormat] = [.jpeg, .png, .webp, .gif]

  /// Returns a smaller file with the same pixels and metadata; `nil` if there is none.
  ///
  /// Animated PNG and WebP, lossy WebP, and GIFs with comments are left alone, and so are all other formats.
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
    default: made = nil
    }
    guard let made, made.count < data.count else { return nil }
    if info.format != .gif { try check(made, like: data, info) }
    return made
  }

  /// The way to decode a file for comparison: as it is stored, without mercy.
  static func decoding(_ pixels: DecodeOptions.Pixels, _ limits: DecodeLimits?) -> DecodeOptions {
    DecodeOptions(
      limits: limits, appliesOrientation: false, damage: .strict, pixels: pixels, colors: .asStored,
      transforms: [])
  }

  private static func webp(
    _ data: Data, _ info: ImageInfo, _ options: EncodeOptions, _ limits: DecodeLimits?
  ) throws(ImagingError) -> Data? {
    guard info.frameCount == 1, WebPEncoder.isLossless(data) else { return nil }
    let image = try WebPDecoder().decode(data, minimumSize: nil, options: decoding(.rgba8, limits))
    let picture = try WebPEncoder().encode(Image(bitmap: image.bitmap), options: options)
    return try WebPMetadataWriter.replacingPicture(of: data, by: picture)
  }

  /// - Throws: `encodingFailed` if a file does not show the same as another one.
  private func check(_ made: Data, like data: Data, _ info: ImageInfo) throws(ImagingError) {
    let options = Self.decoding(info.bitDepth > 8 ? .native : .rgba8, limits)
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
  /// Returns true if the picture of a still file is stored without loss.
  fileprivate static func isLossless(_ data: Data) -> Bool {
    data.withUnsafeBytes { bytes in
      // The chunks follow the twelve bytes of the RIFF header.
      var at = 12
      while at + 8 <= bytes.count {
        let name = String(decoding: bytes[at..<at + 4], as: UTF8.self)
        if name == "VP8L" { return true }
        if name == "VP8 " || name == "ANMF" { return false }
        let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)))
        at += 8 + length + length % 2
      }
      return false
    }
  }
}
