/// A namespace for loops over RGBA pixels, four bytes each, straight alpha.
enum WebPPixels {
  /// Sets the alpha of all pixels of a rectangle to 255.
  static func makeOpaque(_ pixels: UnsafeMutableRawBufferPointer, width: Int, rows: Int, bytesPerRow: Int) {
    guard let base = pixels.baseAddress else { return }
    let alpha = (UInt32(255) << 24).littleEndian
    for row in 0..<rows {
      let line = (base + row * bytesPerRow).assumingMemoryBound(to: UInt32.self)
      var column = 0
      while column < width {
        line[column] |= alpha
        column &+= 1
      }
    }
  }

  /// Composites a row of pixels over another: source-over of straight alpha, rounded to nearest.
  static func blend(_ source: UnsafeRawPointer, over target: UnsafeMutableRawPointer, count: Int) {
    let source = source.assumingMemoryBound(to: UInt32.self)
    let target = target.assumingMemoryBound(to: UInt32.self)
    var index = 0
    while index < count {
      let pixel = UInt32(littleEndian: source[index])
      let alpha = pixel >> 24
      if alpha == 255 {
        target[index] = source[index]
      } else if alpha != 0 {
        target[index] = over(pixel, UInt32(littleEndian: target[index])).littleEndian
      }
      index &+= 1
    }
  }

  private static func over(_ source: UInt32, _ target: UInt32) -> UInt32 {
    let sourceWeight = (source >> 24) &* 255
    let targetWeight = (target >> 24) &* (255 &- source >> 24)
    let weight = sourceWeight &+ targetWeight
    var result = ((2 &* weight &+ 255) / 510) << 24
    for shift: UInt32 in [0, 8, 16] {
      let sum = (source >> shift & 255) &* sourceWeight &+ (target >> shift & 255) &* targetWeight
      result |= ((2 &* sum &+ weight) / (2 &* weight)) << shift
    }
    return result
  }
}
