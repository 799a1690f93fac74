@testable import CalotypeImaging
import Testing

@Suite struct ThumbnailGeometryTests {
  struct Row: CustomTestStringConvertible {
    var source: (Int, Int)
    var thumbnail: Thumbnail
    var size: (Int, Int)
    /// x, y, width, height; `nil` for all of the source.
    var region: (Double, Double, Double, Double)?
    /// The whole source at the same scale; `nil` for `size`.
    var scaled: (Int, Int)?
    var testDescription: String { "\(source) \(thumbnail.mode) \(thumbnail.box)" }
  }

  static let rows = [
    // fit
    Row(source: (4000, 3000), thumbnail: .fit(width: 320, height: 240), size: (320, 240)),
    Row(source: (4000, 3000), thumbnail: .fit(width: 320, height: 320), size: (320, 240)),
    Row(source: (3000, 4000), thumbnail: .fit(width: 320, height: 320), size: (240, 320)),
    Row(source: (4000, 3000), thumbnail: .fit(width: 320), size: (320, 240)),
    Row(source: (4000, 3000), thumbnail: .fit(height: 240), size: (320, 240)),
    Row(source: (100, 50), thumbnail: .fit(width: 200, height: 200), size: (100, 50)),
    Row(source: (100, 50), thumbnail: .fit(width: 100, height: 50), size: (100, 50)),
    Row(source: (100, 50), thumbnail: .fit(width: 200, height: 25), size: (50, 25)),
    Row(source: (1001, 667), thumbnail: .fit(width: 100, height: 100), size: (100, 67)),
    Row(source: (8, 5), thumbnail: .fit(width: 4, height: 4), size: (4, 3)),
    Row(source: (10_000, 10), thumbnail: .fit(width: 100, height: 100), size: (100, 1)),
    Row(source: (10, 100_000_000), thumbnail: .fit(width: 1, height: 1), size: (1, 1)),
    Row(source: (1, 1), thumbnail: .fit(width: .max, height: .max), size: (1, 1)),
    Row(source: (.max, .max), thumbnail: .fit(width: 1000, height: 3000), size: (1000, 1000)),
    // fill
    Row(source: (4000, 3000), thumbnail: .fill(width: 320, height: 240), size: (320, 240)),
    Row(
      source: (4000, 3000), thumbnail: .fill(width: 300, height: 300), size: (300, 300),
      region: (500, 0, 3000, 3000),
      scaled: (400, 300)),
    Row(
      source: (3000, 4000), thumbnail: .fill(width: 300, height: 300), size: (300, 300),
      region: (0, 500, 3000, 3000),
      scaled: (300, 400)),
    Row(
      source: (1001, 500), thumbnail: .fill(width: 100, height: 100), size: (100, 100),
      region: (250.5, 0, 500, 500),
      scaled: (200, 100)),
    Row(source: (100, 50), thumbnail: .fill(width: 200, height: 200), size: (100, 50)),
    Row(
      source: (101, 50), thumbnail: .fill(width: 60, height: 200), size: (60, 50), region: (20, 0, 60, 50),
      scaled: (101, 50)
    ),
    Row(
      source: (101, 50), thumbnail: .fill(width: 60, height: 50), size: (60, 50), region: (20, 0, 60, 50),
      scaled: (101, 50)),
    Row(
      source: (101, 51), thumbnail: .fill(width: 200, height: 20), size: (101, 20), region: (0, 15, 101, 20),
      scaled: (101, 51)),
    Row(source: (4000, 3000), thumbnail: .fill(width: 320), size: (320, 240)),
    Row(source: (100, 50), thumbnail: .fill(height: 200), size: (100, 50)),
    // stretch
    Row(source: (4000, 3000), thumbnail: .stretch(width: 100, height: 900), size: (100, 900)),
    Row(source: (100, 50), thumbnail: .stretch(width: 80, height: 80), size: (80, 50)),
    Row(source: (100, 50), thumbnail: .stretch(width: 800, height: 600), size: (100, 50)),
    Row(source: (100, 50), thumbnail: .stretch(height: 10), size: (20, 10)),
  ]

  @Test(arguments: rows)
  func table(row: Row) throws {
    let source = PixelSize(width: row.source.0, height: row.source.1)
    let geometry = try row.thumbnail.geometry(for: source)
    #expect(geometry.size == PixelSize(width: row.size.0, height: row.size.1))
    let region = row.region.map { Bitmap.Region(x: $0.0, y: $0.1, width: $0.2, height: $0.3) }
    #expect(geometry.region == region ?? Bitmap.Region(source))
    let scaled = row.scaled ?? row.size
    #expect(geometry.scaledSize == PixelSize(width: scaled.0, height: scaled.1))
  }

  @Test func boxesWithoutSizeAreRefused() {
    let source = PixelSize(width: 100, height: 100)
    for mode in Thumbnail.Mode.allCases {
      for (width, height) in [(0, 0), (-1, 10), (10, -1), (-5, -5), (.min, .min)] {
        let thumbnail = Thumbnail(box: PixelSize(width: width, height: height), mode: mode)
        #expect(throws: ImagingError.self) { try thumbnail.geometry(for: source) }
        #expect(throws: ImagingError.self) {
          try thumbnail.minimumDecodeSize(sourceSize: source, orientation: .topLeft)
        }
      }
      let thumbnail = Thumbnail(box: source, mode: mode)
      #expect(throws: ImagingError.self) { try thumbnail.geometry(for: PixelSize(width: 0, height: 4)) }
    }
  }

  @Test func everySizeStaysWithinSourceAndBox() throws {
    for width in 1..<18 {
      for height in 1..<18 {
        let source = PixelSize(width: width, height: height)
        for box in [(1, 1), (3, 7), (7, 3), (10, 10), (16, 2), (0, 5), (5, 0)] {
          for mode in Thumbnail.Mode.allCases {
            let thumbnail = Thumbnail(box: PixelSize(width: box.0, height: box.1), mode: mode)
            let geometry = try thumbnail.geometry(for: source)
            #expect((1...width).contains(geometry.size.width))
            #expect((1...height).contains(geometry.size.height))
            if mode != .outside {
              #expect(box.0 == 0 || geometry.size.width <= box.0)
              #expect(box.1 == 0 || geometry.size.height <= box.1)
            }
            #expect(geometry.region.x >= 0 && geometry.region.y >= 0)
            #expect(geometry.region.x + geometry.region.width <= Double(width))
            #expect(geometry.region.y + geometry.region.height <= Double(height))
            #expect(geometry.scaledSize.width >= geometry.size.width)
            #expect(geometry.scaledSize.height >= geometry.size.height)
          }
        }
      }
    }
  }

  @Test func minimumDecodeSizes() throws {
    func minimum(_ source: (Int, Int), _ thumbnail: Thumbnail, _ orientation: Orientation = .topLeft) throws
      -> [Int]
    {
      let size = try thumbnail.minimumDecodeSize(
        sourceSize: PixelSize(width: source.0, height: source.1), orientation: orientation)
      return size.map { [$0.width, $0.height] } ?? []
    }
    #expect(try minimum((4000, 3000), .fit(width: 320, height: 240)) == [640, 480])
    #expect(try minimum((4000, 3000), .fit(width: 300, height: 300), .rightTop) == [600, 450])
    #expect(try minimum((4000, 3000), .fit(width: 240, height: 320), .leftBottom) == [640, 480])
    #expect(try minimum((4000, 3000), .fill(width: 300, height: 300)) == [800, 600])
    #expect(try minimum((4000, 3000), .stretch(width: 100, height: 3000)) == [200, 3000])
    #expect(try minimum((4000, 3000), .fit(width: 5000, height: 5000)) == [])
    #expect(try minimum((4000, 3000), .fit(width: 2000, height: 1500)) == [])
    #expect(try minimum((4000, 3000), .fill(width: 320, height: 3000)) == [])
  }
}

@Suite struct ThumbnailTests {
  typealias Pictures = ResamplePictures

  /// The upright picture, by its definition: where each pixel comes from.
  static func upright(_ bitmap: Bitmap, _ orientation: Orientation) throws -> Bitmap {
    let size = orientation.apply(to: bitmap.size)
    let bytes = Pictures.bytes(bitmap)
    let right = bitmap.width - 1
    let bottom = bitmap.height - 1
    return try Pictures.make(size.width, size.height, opaque: bitmap.isOpaque) { x, y in
      let (column, row) =
        switch orientation {
        case .topLeft: (x, y)
        case .topRight: (right - x, y)
        case .bottomRight: (right - x, bottom - y)
        case .bottomLeft: (x, bottom - y)
        case .leftTop: (y, x)
        case .rightTop: (y, bottom - x)
        case .rightBottom: (right - y, bottom - x)
        case .leftBottom: (right - y, x)
        }
      let first = (row * bitmap.width + column) * 4
      return Array(bytes[first..<(first + 4)])
    }
  }

  @Test(arguments: Orientation.allCases)
  func shrinkingThenTurningIsTurningThenShrinking(orientation: Orientation) throws {
    let stored = try Pictures.noise(91, 60)
    let turned = try Self.upright(stored, orientation)
    let thumbnails: [Thumbnail] = [
      .fit(width: 30, height: 30), .fill(width: 20, height: 20), .fill(width: 25, height: 11),
      .stretch(width: 13, height: 29), .fill(width: 50, height: 1000), .fill(width: 1000, height: 33),
      .fit(height: 15),
    ]
    for thumbnail in thumbnails {
      let small = try stored.shrunk(to: thumbnail, sourceSize: stored.size, orientation: orientation)
      let expected = try turned.shrunk(to: thumbnail, sourceSize: turned.size, orientation: .topLeft)
      let actual = try Self.upright(small, orientation)
      #expect(actual.size == expected.size)
      // Turned by 90 degrees, the passes come in the other order, and each rounds and clamps.
      let difference = Pictures.largestDifference(Pictures.bytes(actual), Pictures.bytes(expected))
      #expect(difference <= (orientation.swapsAxes ? 24 : 0), "\(thumbnail)")
      let mean = zip(Pictures.bytes(actual), Pictures.bytes(expected)).reduce(0.0) {
        $0 + abs(Double($1.0) - Double($1.1))
      }
      #expect(mean / Double(actual.byteCount) < 0.5, "\(thumbnail)")
    }
  }

  @Test(arguments: [1, 2, 4, 8])
  func picturesShrunkByTheCodecComeOutInPlace(denominator: Int) throws {
    // 1001 is no multiple: the last decoded column stands for one source column only.
    let full = try Pictures.make(1001, 601) { x, y in [UInt8(x * 255 / 1000), UInt8(y * 255 / 600), 9, 255] }
    let width = 1000 / denominator + 1
    let height = 600 / denominator + 1
    let decoded = try Pictures.make(width, height) { x, y in
      let column = min(1000, Double(x * denominator) + Double(denominator - 1) / 2)
      let row = min(600, Double(y * denominator) + Double(denominator - 1) / 2)
      return [UInt8((column * 255 / 1000).rounded()), UInt8((row * 255 / 600).rounded()), 9, 255]
    }
    for thumbnail in [
      Thumbnail.fit(width: 50, height: 50), .fill(width: 40, height: 40), .stretch(width: 31, height: 17),
    ] {
      let expected = try full.shrunk(to: thumbnail, sourceSize: full.size, orientation: .topLeft)
      let actual = try decoded.shrunk(to: thumbnail, sourceSize: full.size, orientation: .topLeft)
      #expect(actual.size == expected.size)
      #expect(Pictures.largestDifference(Pictures.bytes(actual), Pictures.bytes(expected)) <= 2)
    }
  }

  @Test func smallPicturesAreLeftAlone() throws {
    let source = try Pictures.noise(20, 10)
    #expect(
      try source.shrunk(to: .fit(width: 100, height: 100), sourceSize: source.size, orientation: .rightTop)
        == source)
    #expect(throws: ImagingError.self) {
      try source.shrunk(to: .fit(), sourceSize: source.size, orientation: .topLeft)
    }
  }
}
