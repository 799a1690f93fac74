public import FoundationEssentials

extension Bitmap {
  /// Creates an ``PixelFormat/rgba8`` bitmap from rows of red, green, blue and alpha.
  ///
  /// - Parameters:
  ///   - bytes: The rows from top to bottom, such as a `Data` or a `[UInt8]`.
  ///   - width: The number of pixels in a row.
  ///   - height: Number of rows.
  ///   - bytesPerRow: The distance between rows, in bytes; `nil` for rows without padding. The last row needs no
  ///     padding.
  ///   - isPremultiplied: Pass true for premultiplied alpha. Colours are then divided by alpha, and rounded.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for an empty size and for too few bytes;
  ///   ``ImagingError/outOfMemory(byteCount:)``.
  public init(
    rgba bytes: some ContiguousBytes, width: Int, height: Int, bytesPerRow: Int? = nil,
    isPremultiplied: Bool = false
  ) throws(ImagingError) {
    try self.init(
      bytes, PixelSize(width: width, height: height), bytesPerRow, pixel: 4,
      channels: (0, 1, 2), alpha: 3, isPremultiplied)
  }

  /// Creates an ``PixelFormat/rgba8`` bitmap from rows of blue, green, red and alpha.
  ///
  /// The parameters and errors are those of ``init(rgba:width:height:bytesPerRow:isPremultiplied:)``.
  public init(
    bgra bytes: some ContiguousBytes, width: Int, height: Int, bytesPerRow: Int? = nil,
    isPremultiplied: Bool = false
  ) throws(ImagingError) {
    try self.init(
      bytes, PixelSize(width: width, height: height), bytesPerRow, pixel: 4,
      channels: (2, 1, 0), alpha: 3, isPremultiplied)
  }

  /// Creates an opaque ``PixelFormat/rgba8`` bitmap from rows of red, green and blue, three bytes per pixel.
  ///
  /// The parameters and errors are those of ``init(rgba:width:height:bytesPerRow:isPremultiplied:)``.
  public init(
    rgb bytes: some ContiguousBytes, width: Int, height: Int, bytesPerRow: Int? = nil
  ) throws(ImagingError) {
    try self.init(
      bytes, PixelSize(width: width, height: height), bytesPerRow, pixel: 3,
      channels: (0, 1, 2), alpha: nil, false)
  }

  private init(
    _ bytes: some ContiguousBytes, _ size: PixelSize, _ bytesPerRow: Int?, pixel: Int,
    channels: (red: Int, green: Int, blue: Int), alpha: Int?, _ isPremultiplied: Bool
  ) throws(ImagingError) {
    let made = bytes.withUnsafeBytes { source in
      Result { () throws(ImagingError) in
        let stride = try Self.stride(
          for: size, pixel: pixel, bytesPerRow: bytesPerRow, byteCount: source.count)
        return try Bitmap(size: size) { target in
          var all: UInt8 = 255
          for row in 0..<size.height {
            var from = row * stride
            var to = row * size.width * 4
            for _ in 0..<size.width {
              let opacity = alpha.map { source[from + $0] } ?? 255
              all &= opacity
              func straight(_ channel: Int) -> UInt8 {
                let value = source[from + channel]
                return isPremultiplied ? Self.divided(value, by: opacity) : value
              }
              target[to] = straight(channels.red)
              target[to + 1] = straight(channels.green)
              target[to + 2] = straight(channels.blue)
              target[to + 3] = opacity
              from += pixel
              to += 4
            }
          }
          return all == 255
        }
      }
    }
    self = try made.get()
  }

  /// Checks that all rows are present.
  private static func stride(
    for size: PixelSize, pixel: Int, bytesPerRow: Int?, byteCount: Int
  ) throws(ImagingError) -> Int {
    guard size.width > 0, size.height > 0 else {
      throw .invalidParameter(name: "size", reason: "\(size) has no pixels")
    }
    let (row, overflow) = size.width.multipliedReportingOverflow(by: pixel)
    let stride = bytesPerRow ?? row
    guard !overflow, stride >= row else {
      throw .invalidParameter(name: "bytesPerRow", reason: "\(stride) bytes do not hold \(size.width) pixels")
    }
    let (padded, isTooLarge) = stride.multipliedReportingOverflow(by: size.height - 1)
    let (needed, isTooLarge2) = padded.addingReportingOverflow(row)
    guard !isTooLarge, !isTooLarge2, needed <= byteCount else {
      throw .invalidParameter(name: "bytes", reason: "\(byteCount) bytes are too few for \(size) pixels")
    }
    return stride
  }

  /// Returns the straight value of a premultiplied one, rounded; 0 for transparent pixels.
  private static func divided(_ value: UInt8, by alpha: UInt8) -> UInt8 {
    if alpha == 255 { return value }
    if alpha == 0 { return 0 }
    return UInt8(min(255, (Int(value) * 255 + Int(alpha) / 2) / Int(alpha)))
  }
}
