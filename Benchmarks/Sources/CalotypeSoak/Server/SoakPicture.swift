import Calotype
import FoundationEssentials

/// A picture whose size, format and colour follow from its number, so that a wrong one is noticed: noise around a colour.
///
/// There are ``classCount`` different ones; neighbours differ in colour.
struct SoakPicture: Sendable {
  /// How it is encoded.
  enum Form: Sendable {
    case jpeg, progressive, png, webp
  }

  static let classCount = 192
  /// The class of the pictures that are asked for to see how long an ordinary one takes: a JPEG of 1,200×800 pixels.
  static let ordinaryClass = 1
  /// How far pixels are from the colour, at most.
  private static let noise = 24
  /// How far the mean of a part may be from it.
  private static let tolerance = 10

  /// The number within the classes.
  let index: Int

  init(_ number: Int) {
    index = number % Self.classCount
  }

  var size: PixelSize {
    if index % 24 == 0 { return PixelSize(width: 2400, height: 1600) }
    return index % 6 == 1 ? PixelSize(width: 1200, height: 800) : PixelSize(width: 400, height: 300)
  }

  var form: Form {
    if index % 24 == 0 { return index % 48 == 0 ? .jpeg : .progressive }
    return [.jpeg, .png, .webp][index / 6 % 3]
  }

  /// Mean red, green and blue.
  var color: [Int] {
    [48 + index % 6 * 32, 48 + index / 6 % 6 * 32, 48 + index / 36 % 6 * 32]
  }

  /// The bytes that a server sends.
  func encoded() throws -> Data {
    var options: EncodeOptions =
      switch form {
      case .jpeg, .progressive: .jpeg(quality: 85)
      case .png: .png
      case .webp: .webp(quality: 80)
      }
    options.effort = .fast
    options.isProgressive = form == .progressive
    return try CoderRegistry.standard.encode(Image(bitmap: bitmap()), as: options)
  }

  private func bitmap() throws(ImagingError) -> Bitmap {
    let color = color
    return try Bitmap(size: size) { bytes in
      var random = SplitMix(seed: index)
      var place = 0
      while place < bytes.count {
        // One number is enough for the three of a pixel.
        let bits = random.next()
        for channel in 0..<3 {
          let part = Int(bits >> (UInt64(channel) * 16) & 0xFFFF)
          bytes[place + channel] = UInt8(color[channel] - Self.noise + part % (2 * Self.noise + 1))
        }
        bytes[place + 3] = 255
        place += 4
      }
      return true
    }
  }

  /// What is wrong with an image that was made of it, shrunk to fit into a square of `side` pixels; `nil` if nothing is.
  func objection(to image: Image, side: Int?) -> String? {
    let scale = side.map { min(1, Double($0) / Double(max(size.width, size.height))) } ?? 1
    let expected = (Double(size.width) * scale, Double(size.height) * scale)
    guard abs(Double(image.width) - expected.0) <= 1, abs(Double(image.height) - expected.1) <= 1 else {
      return "\(image.bitmap.size) instead of \(size) shrunk to \(side ?? 0)"
    }
    guard image.bitmap.format == .rgba8, !image.isPartial else {
      return "partial, or of another pixel format"
    }
    for band in 0..<4 {
      let mean = Self.mean(of: image.bitmap, band: band)
      if zip(mean, color).contains(where: { abs($0 - $1) > Self.tolerance }) {
        return "quarter \(band) is \(mean) instead of \(color)"
      }
    }
    return nil
  }

  /// Mean red, green and blue of a quarter of the rows; of some of its pixels, if there are many.
  private static func mean(of bitmap: Bitmap, band: Int) -> [Int] {
    bitmap.withUnsafeBytes { bytes in
      let first = band * bitmap.height / 4
      let rows = first..<max(first + 1, (band + 1) * bitmap.height / 4)
      let pixels = rows.lowerBound * bitmap.width..<rows.upperBound * bitmap.width
      var sums = [0, 0, 0]
      var count = 0
      for pixel in stride(from: pixels.lowerBound, to: pixels.upperBound, by: 1 + pixels.count / 5_000) {
        for channel in 0..<3 { sums[channel] += Int(bytes[pixel * 4 + channel]) }
        count += 1
      }
      return sums.map { $0 / max(1, count) }
    }
  }
}
