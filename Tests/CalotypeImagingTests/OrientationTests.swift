import CalotypeImaging
import Testing

/// Turning pixels is exact for all eight orientations.
@Suite("Orientation")
struct OrientationTests {
  static func bitmap(_ size: PixelSize, _ pixel: (Int, Int) -> UInt32) throws -> Bitmap {
    var pixels: [UInt32] = []
    for y in 0..<size.height { for x in 0..<size.width { pixels.append(pixel(x, y)) } }
    return try Bitmap(size: size) { target in
      pixels.withUnsafeBytes { target.copyMemory(from: $0) }
      return true
    }
  }

  static func pixels(_ bitmap: Bitmap) -> [UInt32] {
    bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
  }

  /// What `1 2 3 / 4 5 6` looks like upright.
  static let turned: [(Orientation, [UInt32])] = [
    (.topLeft, [1, 2, 3, 4, 5, 6]), (.topRight, [3, 2, 1, 6, 5, 4]), (.bottomRight, [6, 5, 4, 3, 2, 1]),
    (.bottomLeft, [4, 5, 6, 1, 2, 3]), (.leftTop, [1, 4, 2, 5, 3, 6]), (.rightTop, [4, 1, 5, 2, 6, 3]),
    (.rightBottom, [6, 3, 5, 2, 4, 1]), (.leftBottom, [3, 6, 2, 5, 1, 4]),
  ]

  @Test("three by two", arguments: turned)
  func small(_ orientation: Orientation, _ expected: [UInt32]) throws {
    let stored = try Self.bitmap(PixelSize(width: 3, height: 2)) { x, y in UInt32(1 + x + 3 * y) }
    let upright = try stored.oriented(orientation)
    #expect(upright.size == orientation.apply(to: stored.size))
    #expect(Self.pixels(upright) == expected)
    #expect(upright.isOpaque)
  }

  @Test(
    "shapes around the size of a tile, there and back",
    arguments: [(1, 1), (1, 100), (100, 1), (31, 33), (32, 32), (65, 64), (130, 97)])
  func thereAndBack(_ width: Int, _ height: Int) throws {
    let stored = try Self.bitmap(PixelSize(width: width, height: height)) { x, y in UInt32(x + width * y) }
    for orientation in Orientation.allCases {
      let back: Orientation =
        switch orientation {
        case .rightTop: .leftBottom
        case .leftBottom: .rightTop
        default: orientation
        }
      let upright = try stored.oriented(orientation)
      #expect(try upright.oriented(back) == stored)
      #expect(
        orientation == .topLeft || width * height == 1 || upright != stored || width == 1 || height == 1)
    }
  }

  @Test("as stored costs nothing")
  func identity() throws {
    let pool = PixelPool(byteLimit: 0)
    let stored = try Self.bitmap(PixelSize(width: 4, height: 4)) { x, _ in UInt32(x) }
    #expect(try stored.oriented(.topLeft, pool: pool) == stored)
    #expect(pool.statistics.misses == 0)
  }

  @Test("a cancelled task stops it")
  func cancellation() async throws {
    let stored = try Self.bitmap(PixelSize(width: 64, height: 64)) { x, _ in UInt32(x) }
    let task = Task { () throws -> Bitmap in
      withUnsafeCurrentTask { $0?.cancel() }
      return try stored.oriented(.rightTop)
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
