import Calotype

/// A badge that is drawn once and found again: `swift run GeneratedImages 42`.
@main
struct GeneratedImages {
  static func main() async throws {
    let percent = min(100, CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 42)
    let cache = ImageCache()  // in memory, and in ~/.cache/calotype
    let key = "badge, \(percent) %"

    if let badge = try await cache.image(for: key) {
      print(
        "found a badge of \(badge.width)×\(badge.height) pixels, \(try await cache.data(for: key)?.count ?? 0) bytes"
      )
      return
    }
    let options = ImageCache.StoreOptions(tags: ["badges"], lifetime: .seconds(86_400))
    try await cache.store(draw(percent), for: key, options: options)
    print("drew a badge and stored it; run me again")
  }

  /// Draws a disc that is filled from below, on a transparent background.
  static func draw(_ percent: Int) throws -> Image {
    let side = 64
    let bitmap = try Bitmap(size: PixelSize(width: side, height: side)) { pixels in
      for index in 0..<side * side {
        let (x, y) = (index % side - side / 2, index / side - side / 2)
        let isFull = (side / 2 - y) * 100 <= percent * side
        pixels[index * 4] = isFull ? 0 : 200
        pixels[index * 4 + 1] = isFull ? 128 : 200
        pixels[index * 4 + 2] = isFull ? 64 : 200
        pixels[index * 4 + 3] = x * x + y * y < side * side / 4 ? 255 : 0
      }
      return false
    }
    return Image(bitmap: bitmap)
  }
}
