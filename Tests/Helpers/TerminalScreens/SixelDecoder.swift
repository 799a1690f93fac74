/// What a terminal makes of sixels, by the manual of the VT340: written without a look at the encoder.
package struct SixelDecoder {
  /// Straight RGBA, row by row; clear where nothing was drawn.
  package private(set) var pixels: [UInt32] = []
  package private(set) var width = 0
  package private(set) var height = 0
  /// Whether pixels that are not drawn keep what is on the screen.
  package private(set) var keepsBackground = false
  /// Numbers of the colours that were defined.
  package private(set) var colors: [Int: UInt32] = [:]
  package private(set) var bandCount = 1

  package enum Failure: Error { case malformed(String) }

  /// - Parameter text: What is between `ESC P` and `ESC \`.
  package init(_ text: [UInt8]) throws {
    var rest = text[...]
    let header = Self.numbers(&rest)
    guard rest.popFirst() == UInt8(ascii: "q") else { throw Failure.malformed("no q") }
    keepsBackground = header.count > 1 && header[1] == 1
    guard rest.popFirst() == UInt8(ascii: "\"") else { throw Failure.malformed("no raster attributes") }
    let raster = Self.numbers(&rest)
    guard raster.count == 4, raster[0] == raster[1] else { throw Failure.malformed("\(raster)") }
    (width, height) = (raster[2], raster[3])
    pixels = [UInt32](repeating: 0, count: width * height)
    var (x, top, color) = (0, 0, UInt32(0))
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "#"):
        let numbers = Self.numbers(&rest)
        if numbers.count == 5 {
          guard numbers[1] == 2, numbers[2...].allSatisfy({ $0 <= 100 }) else {
            throw Failure.malformed("\(numbers)")
          }
          let samples = numbers[2...].map { UInt32((Double($0) * 2.55).rounded()) }
          colors[numbers[0]] = samples[0] | samples[1] << 8 | samples[2] << 16 | 0xFF00_0000
        } else {
          guard let defined = colors[numbers[0]] else { throw Failure.malformed("colour \(numbers)") }
          color = defined
        }
      case UInt8(ascii: "!"):
        let count = Self.numbers(&rest)
        guard count.count == 1, let sixel = rest.popFirst() else { throw Failure.malformed("repeat") }
        try draw(sixel, count[0], color, &x, top)
      case UInt8(ascii: "$"): x = 0
      case UInt8(ascii: "-"):
        (x, top) = (0, top + 6)
        bandCount += 1
      default: try draw(byte, 1, color, &x, top)
      }
    }
  }

  private mutating func draw(_ sixel: UInt8, _ count: Int, _ color: UInt32, _ x: inout Int, _ top: Int) throws
  {
    guard (0x3F...0x7E).contains(sixel), x + count <= width else {
      throw Failure.malformed("\(sixel) at \(x)")
    }
    for _ in 0..<count {
      for bit in 0..<6 where (sixel - 0x3F) >> UInt8(bit) & 1 == 1 {
        guard top + bit < height else { throw Failure.malformed("below the last row") }
        pixels[(top + bit) * width + x] = color
      }
      x += 1
    }
  }

  private static func numbers(_ rest: inout ArraySlice<UInt8>) -> [Int] {
    let digits = rest.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
    rest = rest.dropFirst(digits.count)
    return String(decoding: digits, as: UTF8.self).split(separator: ";", omittingEmptySubsequences: false)
      .map { Int($0) ?? 0 }
  }
}
