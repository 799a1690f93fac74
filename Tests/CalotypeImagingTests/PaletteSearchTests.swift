import CPixels
import Testing

@testable import CalotypeImaging

/// The nearest colour is that of a search through all colours, of equal ones the first.
struct PaletteSearchTests {
  /// Weights of red, green, blue and alpha.
  private static let weights: [Float] = [0.7454, 1, 0.6667, 1]

  private static func weighted(_ color: ArraySlice<UInt8>) -> [Float] {
    let bytes: [Float] = color.map { Float($0) }
    let alpha: Float = bytes[3] / 255
    var result: [Float] = []
    for channel in 0..<3 { result.append(bytes[channel] * alpha * weights[channel]) }
    return result + [bytes[3] * weights[3]]
  }

  private static func nearest(_ pixel: ArraySlice<UInt8>, among colors: [[Float]]) -> Int {
    let wanted = weighted(pixel)
    var (nearest, least) = (0, Float.infinity)
    for (index, color) in colors.enumerated() {
      var distance: Float = 0
      for channel in 0..<4 {
        let difference = color[channel] - wanted[channel]
        distance += difference * difference
      }
      if distance < least { (nearest, least) = (index, distance) }
    }
    return nearest
  }

  /// Random pixels, some of them translucent, of which every second one is dark: cells there have many candidates.
  private static func pixels(_ count: Int, _ random: inout RepeatableNumbers) -> [UInt8] {
    var bytes: [UInt8] = []
    for pixel in 0..<count {
      let most: UInt64 = pixel % 2 == 0 ? 64 : 256
      for _ in 0..<3 { bytes.append(UInt8(random.next() % most)) }
      bytes.append(pixel % 13 == 0 ? 77 : 255)
    }
    return bytes
  }

  @Test(arguments: [2, 16, 17, 100, 256])
  func nearestOfAll(count: Int) throws {
    var random = RepeatableNumbers(state: UInt64(count))
    var colors = Self.pixels(count, &random)
    // One is there twice.
    colors.replaceSubrange(4..<8, with: Array(colors.suffix(4)))
    var table: [[Float]] = []
    for index in 0..<count { table.append(Self.weighted(colors[index * 4..<index * 4 + 4])) }
    let width = 6_000
    let row = Self.pixels(width, &random)
    let search = try #require(cpal_search_make(colors, Int32(count)))
    defer { cpal_search_free(search) }
    let mapper = try #require(cpal_mapper_make(search, width, 0, 0))
    defer { cpal_mapper_free(mapper) }
    var indices = [UInt8](repeating: 0, count: width)
    cpal_map_row(mapper, row, nil, nil, &indices)
    var wrong: [Int] = []
    for x in 0..<width where Int(indices[x]) != Self.nearest(row[x * 4..<x * 4 + 4], among: table) {
      wrong.append(x)
    }
    #expect(wrong.isEmpty, "\(wrong.count) of \(width), the first at \(wrong.first ?? -1)")
  }
}
