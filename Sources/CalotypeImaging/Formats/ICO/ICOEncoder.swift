public import FoundationEssentials

/// An encoder for Windows icons, such as favicons: PNGs of one picture in one or more sizes.
///
/// ```swift
/// let favicon = try image.encoded(as: .ico(sizes: [16, 32, 48]))
/// ```
public struct ICOEncoder: ImageEncoding {
  /// The largest width and height of a picture.
  private static let maxSide = 256
  /// The largest number of sizes.
  private static let maxSizes = 32

  /// Creates an encoder.
  public init() {}

  /// `ico`.
  public var format: ImageFormat { .ico }

  /// Returns false: the pictures are lossless.
  public func usesQuality(_ options: EncodeOptions) -> Bool { false }

  /// Returns the encoded image.
  ///
  /// The option `sizes` of ``EncodeOptions/extras``, such as `16,32,48`, lists the sides of the squares that the
  /// pictures fit into; nothing is enlarged. By default there is one picture, the image as it is.
  ///
  /// - Throws: ``ImagingError/encodingFailed(_:reason:)`` for an image of more than 256 pixels without sizes,
  ///   ``ImagingError/invalidParameter(name:reason:)`` for sizes other than 1 to 256, the errors of ``PNGEncoder``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let bitmap = try image.bitmap.converted(to: .rgba8)
    var pictures: [(size: PixelSize, data: Data)] = []
    for side in try Self.sides(options, of: bitmap.size) {
      var picture = bitmap
      if max(bitmap.width, bitmap.height) > side {
        picture = try bitmap.shrunk(
          to: .fit(width: side, height: side), sourceSize: bitmap.size, orientation: .topLeft)
      }
      guard !pictures.contains(where: { $0.size == picture.size }) else { continue }
      pictures.append((picture.size, try PNGEncoder().encode(image.with(bitmap: picture), options: options)))
    }
    return Self.file(pictures)
  }

  private static func sides(_ options: EncodeOptions, of size: PixelSize) throws(ImagingError) -> [Int] {
    guard let text = options.extras["sizes"] else {
      guard max(size.width, size.height) <= maxSide else {
        throw .encodingFailed(
          .ico,
          reason:
            "\(size) is larger than \(maxSide)x\(maxSide) pixels; shrink it, or name sizes to shrink it to")
      }
      return [maxSide]
    }
    let sides = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sides.count <= maxSizes, sides.allSatisfy({ 1...maxSide ~= $0 }) else {
      throw .invalidParameter(
        name: "sizes", reason: "up to \(maxSizes) sides of 1 to \(maxSide), not \(text)")
    }
    return sides
  }

  private static func file(_ pictures: [(size: PixelSize, data: Data)]) -> Data {
    var output = Data([0, 0, 1, 0, UInt8(pictures.count), 0])
    var offset = ICODirectory.headerByteCount + pictures.count * ICODirectory.entryByteCount
    for (size, data) in pictures {
      // 256 is written as 0.
      output.append(contentsOf: [UInt8(size.width & 255), UInt8(size.height & 255), 0, 0, 1, 0, 32, 0])
      for value in [data.count, offset] {
        for shift in [0, 8, 16, 24] { output.append(UInt8(truncatingIfNeeded: value >> shift)) }
      }
      offset += data.count
    }
    for (_, data) in pictures { output.append(data) }
    return output
  }
}
