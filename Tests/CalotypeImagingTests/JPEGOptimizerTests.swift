import Foundation
import Testing

@testable import CalotypeImaging

/// JPEGs that become smaller and keep their pixels.
@Suite("JPEG optimizer")
struct JPEGOptimizerTests {
  static func pixels(_ data: Data) throws -> Bitmap {
    try CoderRegistry.standard.decode(data, options: DecodeOptions(damage: .strict, colors: .asStored)).bitmap
  }

  @Test(
    "fewer bytes, the same pixels", arguments: EncodeOptions.Effort.allCases,
    EncodeOptions.Subsampling.allCases)
  func smaller(effort: EncodeOptions.Effort, subsampling: EncodeOptions.Subsampling) throws {
    let picture = try PhotoFixture.picture("stream.jpg", side: 320)
    for (bitmap, tables) in [
      (picture, EncodeOptions.JPEGTables.standard), (try picture.converted(to: .gray8), .fitted),
    ] {
      var options = JPEGTableTests.options(80, effort, tables)
      options.subsampling = subsampling
      let jpeg = try JPEGEncoder().encode(Image(bitmap: bitmap), options: options)
      let small = try JPEGOptimizer.optimized(jpeg)
      #expect(small.count <= jpeg.count)
      if effort != .small { #expect(small.count < jpeg.count) }
      #expect(try Self.pixels(small) == Self.pixels(jpeg))
      #expect(try JPEGOptimizer.optimized(small).count <= small.count)
    }
  }

  /// Returns a file with a segment behind its first marker.
  static func inserting(_ marker: UInt8, _ payload: [UInt8], into jpeg: Data) -> Data {
    let length = payload.count + 2
    return jpeg.prefix(2) + [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
      + jpeg.dropFirst(2)
  }

  @Test("metadata: all of it, or that which decides the look")
  func metadata() throws {
    var options = EncodeOptions.jpeg(quality: 80)
    options.keeps = [.icc]
    let image = Image(
      bitmap: try PhotoFixture.picture("stream.jpg", side: 160),
      profile: .icc(try Fixture.data("Metadata/DisplayP3-v4.icc")))
    var jpeg = try JPEGEncoder().encode(image, options: options)
    let exif: [UInt8] =
      Array("Exif\0\0".utf8) + [
        0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
      ]
    jpeg = Self.inserting(0xE1, exif, into: jpeg)
    jpeg = Self.inserting(0xFE, Array("a comment".utf8), into: jpeg)
    let all = try JPEGOptimizer.optimized(jpeg)
    let lean = try JPEGOptimizer.optimized(jpeg, metadata: .rendering)
    #expect(all.range(of: Data("a comment".utf8)) != nil && all.range(of: Data(exif)) != nil)
    #expect(lean.range(of: Data("a comment".utf8)) == nil && lean.range(of: Data(exif)) == nil)
    #expect(lean.count < all.count && all.count < jpeg.count)
    for data in [all, lean] {
      let header = try JPEGHeader(data)
      #expect(header.orientation?.rawValue == 6)
      #expect(header.profile == (try JPEGHeader(jpeg).profile) && header.profile != nil)
      #expect(try Self.pixels(data) == Self.pixels(jpeg))
    }
  }

  @Test("images and data behind the first stay")
  func trailing() throws {
    let jpeg = try JPEGEncoder().encode(
      Image(bitmap: try PhotoFixture.picture("stream.jpg", side: 160)), options: .jpeg())
    #expect(try JPEGOptimizer.optimized(jpeg).count < jpeg.count)
    for more in [jpeg + jpeg, jpeg + [0], Self.inserting(0xE2, Array("MPF\0index".utf8), into: jpeg)] {
      #expect(try JPEGOptimizer.optimized(more) == more)
    }
  }

  @Test("damage, limits and other files are errors")
  func refusals() throws {
    let jpeg = try JPEGEncoder().encode(
      Image(bitmap: try PhotoFixture.picture("stream.jpg", side: 160)), options: .jpeg())
    func code(_ data: Data, _ limits: DecodeLimits = .default) -> String? {
      do throws(ImagingError) {
        _ = try JPEGOptimizer.optimized(data, limits: limits)
        return nil
      } catch { return error.code }
    }
    #expect(code(Data()) != nil && code(Data([1, 2, 3])) != nil)
    #expect(code(jpeg.prefix(jpeg.count / 2)) == "corrupt")
    var damaged = jpeg
    damaged.replaceSubrange(jpeg.count / 2..<jpeg.count / 2 + 2, with: [0xFF, 0xD9])
    #expect(code(damaged) != nil)
    #expect(code(jpeg, DecodeLimits(maxPixels: 10)) == "limitExceeded")
    #expect(code(jpeg, DecodeLimits(maxBytes: 10)) == "limitExceeded")
    #expect(code(jpeg, DecodeLimits(maxMemoryBytes: 1000)) == "limitExceeded")
    var options = EncodeOptions.jpeg()
    options.isProgressive = true
    let progressive = try JPEGEncoder().encode(
      Image(bitmap: try PhotoFixture.picture("stream.jpg", side: 160)), options: options)
    #expect(code(progressive, DecodeLimits(maxScans: 2)) == "limitExceeded")
    #expect(code(progressive) == nil)
  }

  @Test("every JPEG of the fixtures: the same pixels, never larger, or an error")
  func fixtures() throws {
    let folder = Fixture.folder.appending(path: "Corpus")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".jpg")
    }
    #expect(names.count > 20)
    var optimized = 0
    for name in names {
      let jpeg = try Data(contentsOf: folder.appending(path: name))
      guard let small = try? JPEGOptimizer.optimized(jpeg) else { continue }
      #expect(small.count <= jpeg.count, "\(name)")
      guard small.count < jpeg.count else { continue }
      optimized += 1
      #expect(try Self.pixels(small) == Self.pixels(jpeg), "\(name)")
    }
    #expect(optimized > 5)
  }
}
