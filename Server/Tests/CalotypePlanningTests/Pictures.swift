import CalotypeImaging
import FoundationEssentials

/// Pictures whose pixels tell their place.
enum Pictures {
  /// Returns a picture whose red is the column and whose green is the row.
  static func places(_ width: Int, _ height: Int) throws -> Bitmap {
    try picture(width, height) { x, y in [UInt8(x % 256), UInt8(y % 256), 0, 255] }
  }

  /// Returns a picture by the samples of its pixels.
  static func picture(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> [UInt8]) throws -> Bitmap {
    var bytes: [UInt8] = []
    for y in 0..<height { for x in 0..<width { bytes += pixel(x, y) } }
    return try Bitmap(rgba: bytes, width: width, height: height)
  }

  static func png(_ bitmap: Bitmap) throws -> Data {
    try CoderRegistry.standard.encode(Image(bitmap: bitmap), as: .png)
  }

  /// Returns a file of the fixtures.
  static func fixture(_ path: String) throws -> Data {
    let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return try Data(contentsOf: URL(filePath: "/\(folder)/Tests/Fixtures/\(path)"))
  }
}

extension Bitmap {
  /// The samples of a pixel.
  func pixel(_ x: Int, _ y: Int) -> [UInt8] {
    withUnsafeBytes { bytes in (0..<4).map { bytes[y * bytesPerRow + 4 * x + $0] } }
  }

  /// All samples of the rows, without padding.
  var samples: [UInt8] {
    withUnsafeBytes { bytes in
      (0..<height).flatMap { Array(bytes[$0 * bytesPerRow..<$0 * bytesPerRow + 4 * width]) }
    }
  }
}
