/// The 256 colours of xterm: 16 that users choose, a cube of 6×6×6, and 24 greys.
enum XtermColor {
  static let cubeLevels: [Int] = [0, 95, 135, 175, 215, 255]

  /// The nearest of those that are the same everywhere: 16 to 255.
  static func index(red: UInt8, green: UInt8, blue: UInt8) -> UInt8 {
    let color = SIMD3(Int(red), Int(green), Int(blue))
    let cube = SIMD3(level(color.x), level(color.y), level(color.z))
    let cubeColor = SIMD3(cubeLevels[cube.x], cubeLevels[cube.y], cubeLevels[cube.z])
    // The grey nearest to the mean is the grey nearest to the colour.
    let gray = min(23, max(0, (color.wrappedSum() - 3 * 8 + 15) / 30))
    let grayColor = SIMD3(repeating: 8 + 10 * gray)
    if distance(grayColor, color) < distance(cubeColor, color) { return UInt8(232 + gray) }
    return UInt8(16 + 36 * cube.x + 6 * cube.y + cube.z)
  }

  private static func level(_ value: Int) -> Int {
    // Halfway between two levels.
    value < 48 ? 0 : value < 115 ? 1 : min(5, (value - 35) / 40)
  }

  private static func distance(_ a: SIMD3<Int>, _ b: SIMD3<Int>) -> Int {
    let difference = a &- b
    return (difference &* difference).wrappedSum()
  }
}
