import CalotypeImaging
import CalotypeURLs

/// The facts that `/info` reads from pixels.
struct PixelFacts: Sendable {
  /// The largest side of the picture that most facts are read from.
  static let side = 256

  var hasTransparency: Bool?
  var crop: RelativeArea?
  var palette: [PixelColor]?
  var average: PixelColor?
  var swatches: Swatches?
  var blurHash: String?
  var thumbHash: [UInt8]?
  var perceptualHash: PerceptualHash?

  /// Reads the facts of a picture that is upright and in sRGB. Blocks; call it off the cooperative pool.
  ///
  /// - Parameters:
  ///   - bitmap: The picture, within ``side``, or whole if single transparent pixels count.
  ///   - options: The facts to read.
  ///   - cropSize: The size of a crop whose place depends on pixels, as shares of the sides.
  init(of bitmap: Bitmap, _ options: InfoOptions, cropSize: RelativeArea?) throws(ImagingError) {
    if options.alpha, options.checksAlpha { hasTransparency = try bitmap.hasTransparency() }
    let small = try Self.small(bitmap)
    if let cropSize { crop = try cropSize.placed(in: small) }
    if options.paletteColors > 0 { palette = try small.palette(count: options.paletteColors) }
    if options.average { average = Self.average(of: small, ignoresTransparent: options.ignoresTransparent) }
    if options.dominantColors { swatches = try Swatches(of: small, buildsMissing: options.buildsMissing) }
    if let hash = options.blurHash {
      blurHash = try BlurHash(of: small, componentsX: hash.x, componentsY: hash.y).text
    }
    if options.thumbHash { thumbHash = try ThumbHash(of: small).bytes }
    if options.perceptualHash { perceptualHash = try PerceptualHash(of: small) }
  }

  private static func small(_ bitmap: Bitmap) throws(ImagingError) -> Bitmap {
    let bitmap = try bitmap.converted(to: .rgba8)
    let longest = max(bitmap.width, bitmap.height)
    guard longest > side else { return bitmap }
    func scaled(_ length: Int) -> Int { max(1, (length * side + longest / 2) / longest) }
    return try bitmap.resampled(
      to: PixelSize(width: scaled(bitmap.width), height: scaled(bitmap.height)), filter: .box)
  }

  /// Returns the mean of all pixels, with colours weighted by their alpha.
  ///
  /// - Parameter ignoresTransparent: Pass true to leave pixels that cannot be seen out of the mean of the alpha, too.
  private static func average(of small: Bitmap, ignoresTransparent: Bool) -> PixelColor {
    small.withUnsafeBytes { bytes in
      var (sums, count) = (SIMD4<Int>.zero, 0)
      for first in stride(from: 0, to: bytes.count, by: 4) {
        let alpha = Int(bytes[first + 3])
        if alpha == 0, ignoresTransparent { continue }
        count += 1
        sums &+= SIMD4(
          Int(bytes[first]) * alpha, Int(bytes[first + 1]) * alpha, Int(bytes[first + 2]) * alpha, alpha)
      }
      guard count > 0, sums.w > 0 else { return .clear }
      func mean(_ sum: Int) -> UInt8 { UInt8((sum + sums.w / 2) / sums.w) }
      return PixelColor(
        red: mean(sums.x), green: mean(sums.y), blue: mean(sums.z),
        alpha: UInt8((sums.w + count / 2) / count))
    }
  }
}
