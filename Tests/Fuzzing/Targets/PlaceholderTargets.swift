@testable import CalotypeImaging

/// Reads the bytes as a BlurHash, shows it, and makes one of what it shows.
enum BlurHashTarget {
  static func run(_ input: FuzzInput) throws {
    let text = String(decoding: input.bytes, as: UTF8.self)
    let result = try Promises.result { () throws(ImagingError) in try BlurHash(text) }
    guard case .success(let hash) = result else { return }
    try FuzzFailure.unless(
      hash.text == text && (1...9).contains(hash.componentsX) && (1...9).contains(hash.componentsY),
      "\(hash.componentsX)×\(hash.componentsY) components of \(text)")
    let size = PixelSize(width: Int(input.first % 64) + 1, height: Int(input.second % 64) + 1)
    let bitmap = try hash.bitmap(size: size, punch: input.choices.contains(.shrinks) ? 100 : 1)
    try FuzzFailure.unless(bitmap.size == size, "\(bitmap.size) instead of \(size)")
    try Promises.check(bitmap, .default)
    let again = try BlurHash(of: bitmap, componentsX: hash.componentsX, componentsY: hash.componentsY)
    try FuzzFailure.unless(try BlurHash(again.text) == again, "\(again.text) does not read back")
  }
}

/// Reads the bytes as a ThumbHash, shows it, and makes one of what it shows.
enum ThumbHashTarget {
  static func run(_ input: FuzzInput) throws {
    let result = try Promises.result { () throws(ImagingError) in try ThumbHash(input.bytes) }
    guard case .success(let hash) = result else { return }
    try FuzzFailure.unless(hash.bytes == input.bytes, "other bytes than were read")
    try FuzzFailure.unless((1.0 / 7...7).contains(hash.aspectRatio), "a ratio of \(hash.aspectRatio)")
    let bitmap = try hash.bitmap()
    try FuzzFailure.unless(max(bitmap.width, bitmap.height) == 32, "shown at \(bitmap.size)")
    try FuzzFailure.unless(hash.hasAlpha || hash.averageColor.alpha == 255, "a mean of \(hash.averageColor)")
    try Promises.check(bitmap, .default)
    let again = try ThumbHash(of: bitmap)
    try FuzzFailure.unless(try ThumbHash(again.bytes) == again, "\(again.bytes) does not read back")
  }
}
