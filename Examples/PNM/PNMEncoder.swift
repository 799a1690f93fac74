public import CalotypeImaging
public import FoundationEssentials

/// Encodes PPM, or PGM for a grey bitmap: eight bits per sample, no compression.
public struct PNMEncoder: ImageEncoding {
  /// Creates an encoder.
  public init() {}

  /// PNM.
  public var format: ImageFormat { .pnm }

  /// `false`: PNM has no quality.
  public func usesQuality(_ options: EncodeOptions) -> Bool { false }

  /// Encodes the image. Transparent pixels are composited on ``EncodeOptions/background``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let isGray = image.bitmap.format == .gray8
    let bitmap = isGray ? image.bitmap : try image.bitmap.converted(to: .rgba8)
    var output = Data("\(isGray ? "P5" : "P6")\n\(bitmap.width) \(bitmap.height)\n255\n".utf8)
    let ground = [options.background.red, options.background.green, options.background.blue].map { Int($0) }
    var row: [UInt8] = []
    try bitmap.withUnsafeBytes { (bytes) throws(ImagingError) in
      for start in stride(from: 0, to: bytes.count, by: bitmap.bytesPerRow) {
        if Task.isCancelled { throw .cancelled }
        if isGray {
          output.append(contentsOf: bytes[start..<start + bitmap.bytesPerRow])
          continue
        }
        row.removeAll(keepingCapacity: true)
        for pixel in stride(from: start, to: start + bitmap.bytesPerRow, by: 4) {
          let alpha = Int(bytes[pixel + 3])
          for channel in 0..<3 {
            let mixed = Int(bytes[pixel + channel]) * alpha + ground[channel] * (255 - alpha)
            row.append(UInt8((mixed + 127) / 255))
          }
        }
        output.append(contentsOf: row)
      }
    }
    return output
  }
}
