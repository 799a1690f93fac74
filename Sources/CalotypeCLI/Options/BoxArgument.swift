import ArgumentParser
import Calotype

/// A box such as `320x240`, `320x` or `x240`.
struct BoxArgument: ExpressibleByArgument {
  let size: PixelSize

  init?(argument: String) {
    let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }
    // An omitted side is unconstrained; a given one has at least one pixel.
    func side(_ text: Substring) -> Int? {
      if text.isEmpty { return 0 }
      guard let value = Int(text), (1...1_000_000).contains(value) else { return nil }
      return value
    }
    guard let width = side(sides[0]), let height = side(sides[1]), width + height > 0 else { return nil }
    size = PixelSize(width: width, height: height)
  }
}
