import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Quantisation tables, and coefficients that are chosen by their cost.
@Suite("JPEG: tables and effort")
struct JPEGTableTests {
  static let photo = Result { try PhotoFixture.picture("stream.jpg", side: 320) }

  static func options(
    _ quality: Int, _ effort: EncodeOptions.Effort = .balanced, _ tables: EncodeOptions.JPEGTables = .fitted
  ) -> EncodeOptions {
    var options = EncodeOptions.jpeg(quality: quality)
    options.effort = effort
    options.jpegTables = tables
    return options
  }

  static func score(_ data: Data, of original: ImageQuality) throws -> Double {
    try original.ssimulacra2(of: CoderRegistry.standard.decode(data).bitmap)
  }

  /// Returns the tables of a file in natural order.
  static func tables(_ data: Data) -> [[UInt8]] {
    let order: [Int] = (0..<64).sorted { a, b in
      let (p, q) = (a / 8 + a % 8, b / 8 + b % 8)
      if p != q { return p < q }
      return p % 2 == 0 ? a / 8 > b / 8 : a / 8 < b / 8
    }
    var tables: [[UInt8]] = []
    let bytes = [UInt8](data)
    var at = 2
    while at + 4 < bytes.count, bytes[at] == 0xFF, bytes[at + 1] != 0xDA {
      if bytes[at + 1] == 0xDB {
        var table = [UInt8](repeating: 0, count: 64)
        for (index, place) in order.enumerated() { table[place] = bytes[at + 5 + index] }
        tables.append(table)
      }
      at += 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
    }
    return tables
  }

  @Test("fitted tables take fewer bytes for the same score", arguments: [50, 75, 85])
  func bytes(quality: Int) throws {
    let picture = try Self.photo.get()
    let original = try ImageQuality(original: picture)
    let image = Image(bitmap: picture)
    let standard = try JPEGEncoder().encode(image, options: Self.options(quality, .balanced, .standard))
    let wanted = try Self.score(standard, of: original)
    for (effort, share) in [(EncodeOptions.Effort.balanced, 0.95), (.small, 0.88)] {
      // The smallest file that looks as good.
      let least = try (1...100).lazy.map { quality in
        try JPEGEncoder().encode(image, options: Self.options(quality, effort))
      }.first { try Self.score($0, of: original) >= wanted }
      let ratio = Double(try #require(least).count) / Double(standard.count)
      #expect(ratio < share, "\(effort)")
    }
  }

  @Test("a quality means the same with all tables and efforts", arguments: [30, 50, 75, 90])
  func meaning(quality: Int) throws {
    let names = ["stream.jpg", "dandelion.jpg", "mountains.jpg", "dogs.webp", "meadow.webp", "sunset.webp"]
    var sums = [0.0, 0, 0, 0]
    for name in names {
      let picture = try PhotoFixture.picture(name, side: 320)
      let original = try ImageQuality(original: picture)
      let scores = try [
        Self.options(quality, .fast, .standard), Self.options(quality, .fast), Self.options(quality),
        Self.options(quality, .small),
      ].map { try Self.score(JPEGEncoder().encode(Image(bitmap: picture), options: $0), of: original) }
      #expect(scores[1] == scores[2])
      for index in scores.indices { sums[index] += scores[index] / Double(names.count) }
    }
    // The mean of a few small pictures is further from that of the standard's tables than that of many.
    for mean in sums { #expect(abs(mean - sums[0]) < (quality < 50 ? 5 : 3), "\(sums)") }
  }

  @Test("more quality, finer steps, larger files, better pictures")
  func monotony() throws {
    let picture = try Self.photo.get()
    let original = try ImageQuality(original: picture)
    for effort in EncodeOptions.Effort.allCases {
      var last: (tables: [[UInt8]], count: Int, score: Double)?
      for quality in stride(from: 0, through: 100, by: 10) {
        let data = try JPEGEncoder().encode(Image(bitmap: picture), options: Self.options(quality, effort))
        let now = (tables: Self.tables(data), count: data.count, score: try Self.score(data, of: original))
        #expect(now.tables.count == 3 && now.tables.allSatisfy { $0.count == 64 && !$0.contains(0) })
        if let last {
          #expect(zip(now.tables.joined(), last.tables.joined()).allSatisfy { $0 <= $1 })
          #expect(now.count > last.count && now.score > last.score)
        }
        last = now
      }
      // The best quality keeps all that eight bits can.
      #expect(last?.tables.joined().allSatisfy { $0 == 1 } ?? false)
    }
  }

  @Test("the tables of the standard on request")
  func standard() throws {
    let data = try JPEGEncoder().encode(
      Image(bitmap: try Self.photo.get()), options: Self.options(50, .balanced, .standard))
    let tables = Self.tables(data)
    #expect(tables.count == 2)
    #expect(tables[0].prefix(8) == [16, 11, 10, 16, 24, 40, 51, 61])
    #expect(tables[1].prefix(8) == [17, 18, 24, 47, 99, 99, 99, 99])
  }

  @Test(
    "chosen coefficients: all sizes, subsamplings and layouts", arguments: EncodeOptions.Subsampling.allCases)
  func small(subsampling: EncodeOptions.Subsampling) throws {
    for (width, height) in [(1, 1), (7, 9), (16, 16), (17, 33), (100, 3), (3, 100), (129, 65)] {
      let bitmap = try ImageQualityTests.ramp(max(2, width), max(2, height))
      for layout in [bitmap, try bitmap.converted(to: .gray8), try bitmap.converted(to: .rgba16)] {
        var options = Self.options(92, .small)
        options.subsampling = subsampling
        let expected = try layout.converted(to: .rgba8)
        func error() throws -> Double {
          let data = try JPEGEncoder().encode(Image(bitmap: layout), options: options)
          let decoded = try CoderRegistry.standard.decode(data, options: DecodeOptions(damage: .strict))
          #expect(decoded.bitmap.size == layout.size)
          return expected.withUnsafeBytes { a in
            decoded.bitmap.withUnsafeBytes { b in
              zip(a, b).reduce(0.0) { $0 + Double(abs(Int($1.0) - Int($1.1))) } / Double(a.count)
            }
          }
        }
        let small = try error()
        options.effort = .balanced
        // Few pixels of many colours lose most of them to chroma subsampling, with any effort.
        let balanced = try error()
        #expect(small < balanced + 2, "\(layout.size) \(layout.format): \(small), \(balanced)")
      }
    }
  }

  @Test("a small picture has no scans that it does not need")
  func scans() throws {
    let tiny = try ImageQualityTests.ramp(16, 16)
    let small = try JPEGEncoder().encode(Image(bitmap: tiny), options: Self.options(80, .small))
    let balanced = try JPEGEncoder().encode(Image(bitmap: tiny), options: Self.options(80))
    #expect(small.count <= balanced.count)
    let photo = try JPEGEncoder().encode(
      Image(bitmap: try Self.photo.get()), options: Self.options(80, .small))
    #expect(try JPEGHeader(photo).isProgressive)
  }

  @Test("chroma by the content of the picture")
  func automatic() throws {
    func components(_ bitmap: Bitmap) throws -> [Int] {
      var options = Self.options(80)
      options.subsampling = .auto
      let data = try JPEGEncoder().encode(Image(bitmap: bitmap), options: options)
      return try JPEGHeader(data).components.map { $0.horizontal * $0.vertical }
    }
    // Red lines on blue, as in text and drawings, and a photograph.
    let lines = try ResamplePictures.make(64, 64) { x, _ in x % 5 == 0 ? [255, 0, 0, 255] : [0, 0, 255, 255] }
    #expect(try components(lines) == [1, 1, 1])
    #expect(try components(try PhotoFixture.picture("dandelion.jpg", side: 320)) == [4, 1, 1])
    // Grey text needs no chroma.
    let text = try ResamplePictures.make(64, 64) { x, _ in
      x % 5 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255]
    }
    #expect(try components(text) == [4, 1, 1])
  }
}

/// The photographs of the examples.
enum PhotoFixture {
  static func data(_ name: String) throws -> Data {
    try Data(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples/Photos/\(name)"))
  }

  /// Returns a photograph that was shrunk to fit a square, so that it has no traces of its file.
  static func picture(_ name: String, side: Int) throws -> Bitmap {
    var options = DecodeOptions()
    options.thumbnail = .fit(width: side, height: side)
    return try CoderRegistry.standard.decode(try data(name), options: options).bitmap
  }
}
