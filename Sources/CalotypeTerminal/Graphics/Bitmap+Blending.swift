import Calotype

extension Bitmap {
  /// For terminals without transparency: pixels are clear, as they were, or opaque, mixed with `color` by their alpha.
  func blended(over color: PixelColor) throws(ImagingError) -> Bitmap {
    if isOpaque { return self }
    let background = (Int(color.red), Int(color.green), Int(color.blue))
    return try Bitmap(size: size) { target in
      withUnsafeBytes { source in
        for at in stride(from: 0, to: source.count, by: 4) {
          let alpha = Int(source[at + 3])
          func mixed(_ value: UInt8, _ under: Int) -> UInt8 {
            UInt8((Int(value) * alpha + under * (255 - alpha) + 127) / 255)
          }
          target[at] = mixed(source[at], background.0)
          target[at + 1] = mixed(source[at + 1], background.1)
          target[at + 2] = mixed(source[at + 2], background.2)
          target[at + 3] = alpha == 0 ? 0 : 255
        }
      }
      return false
    }
  }
}
