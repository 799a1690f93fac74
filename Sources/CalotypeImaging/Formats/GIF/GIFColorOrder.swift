/// The order of the colours that all frames of an animation share: those of frames with few colours come first, because
/// indices below a power of two take fewer bits.
struct GIFColorOrder {
  /// For each colour, with red in the low bits, the sum over the frames that need it of one over their number of colours.
  private var weights: [UInt32: Double] = [:]
  private var shown: Bitmap?

  /// Adds the next canvas of an animation, of RGBA8.
  mutating func add(_ canvas: Bitmap) {
    var colors: Set<UInt32> = []
    var last: UInt32 = 0
    let before = shown
    canvas.withUnsafeBytes { new in
      let new = new.bindMemory(to: UInt32.self)
      func add(_ pixel: UInt32) {
        guard pixel != last, pixel != 0 else { return }
        last = pixel
        colors.insert(pixel)
      }
      guard let before, before.size == canvas.size else {
        for pixel in new { add(pixel.asInGIF) }
        return
      }
      before.withUnsafeBytes { old in
        let old = old.bindMemory(to: UInt32.self)
        for at in new.indices where new[at].asInGIF != old[at].asInGIF { add(new[at].asInGIF) }
      }
    }
    for color in colors { weights[color, default: 0] += 1 / Double(colors.count) }
    shown = canvas
  }

  /// Returns colours in this order.
  func sorted(_ colors: [Palette.Color]) -> [Palette.Color] {
    colors.map { (color: $0, weight: weights[$0.pixel] ?? 0) }
      .sorted { ($0.weight, $1.color.pixel) > ($1.weight, $0.color.pixel) }.map(\.color)
  }
}

extension Palette.Color {
  /// The four bytes of a pixel, red in the low bits.
  fileprivate var pixel: UInt32 {
    UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24
  }
}
