#if SVG
import CalotypeSupport
import FoundationEssentials
import HelperPrograms
import Testing

@testable import CalotypeImaging

/// Only drawings that are known to be sound are drawn in this process.
@Suite("SVG: drawing")
struct SVGDecoderTests {
  private static let coders = CoderRegistry.sandboxed

  private func draw(_ name: String, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
    try Self.coders.decode(Fixture.data("svg/\(name)"), options: options)
  }

  private func pixel(_ image: Image, _ x: Int, _ y: Int) -> [UInt8] {
    image.bitmap.withUnsafeBytes { Array($0[(4 * (y * image.width + x))...].prefix(4)) }
  }

  @Test("only the coders of sandboxed processes draw")
  func registries() throws {
    let data = try Fixture.data("svg/gen-bars.svg")
    #expect(!CoderRegistry.standard.decodableFormats.contains(.svg))
    #expect(throws: ImagingError.self) { try CoderRegistry.standard.decode(data) }
    #expect(Self.coders.decodableFormats.contains(.svg))
    #expect(try Self.coders.decode(data).size == PixelSize(width: 8, height: 4))
  }

  @Test("straight alpha, in the natural size")
  func alpha() throws {
    let image = try draw("gen-bars.svg")
    #expect(image.info?.isVector == true && image.profile == nil && !image.bitmap.isOpaque)
    #expect(pixel(image, 3, 3) == [255, 0, 0, 255])
    #expect(pixel(image, 4, 1) == [0, 0, 255, 128])
    #expect(pixel(image, 4, 2) == [0, 0, 0, 0])
  }

  @Test(
    "edges are sharp at every size",
    arguments: [
      Thumbnail.fit(width: 400), .stretch(width: 200, height: 400), .fit(width: 64, height: 64),
      Thumbnail(box: PixelSize(width: 100, height: 100), mode: .outside),
    ])
  func sharp(thumbnail: Thumbnail) throws {
    let image = try draw("gen-bars.svg", DecodeOptions(thumbnail: thumbnail))
    let size = try thumbnail.geometry(for: PixelSize(width: 8, height: 4), enlarges: true).size
    #expect(image.size == size && image.info?.size == PixelSize(width: 8, height: 4))
    for y in 0..<size.height {
      for x in 0..<size.width {
        let expected: [UInt8] =
          2 * x < size.width ? [255, 0, 0, 255] : 2 * y < size.height ? [0, 0, 255, 128] : [0, 0, 0, 0]
        guard pixel(image, x, y) == expected else {
          Issue.record("\(pixel(image, x, y)) at \(x), \(y)")
          return
        }
      }
    }
  }

  @Test(
    "a crop is the part of the whole drawing", arguments: ["center", "topLeft", "right", "focus(0.3;0.7)"])
  func crops(anchor: String) throws {
    var thumbnail = Thumbnail.fill(width: 90, height: 100)
    thumbnail.anchor = try #require(Anchor(anchor))
    let crop = try draw("gen-text.svg", DecodeOptions(thumbnail: thumbnail))
    let whole = try draw("gen-text.svg", DecodeOptions(thumbnail: .fit(height: 100)))
    #expect(
      crop.size == PixelSize(width: 90, height: 100) && whole.size == PixelSize(width: 200, height: 100))
    let geometry = try thumbnail.geometry(for: whole.size)
    #expect(try crop.bitmap == whole.bitmap.resampled(to: crop.size, from: geometry.region, filter: .nearest))
  }

  @Test("the vector size, and a resize at the beginning of the transforms")
  func vectorSize() throws {
    #expect(
      try draw("gen-bars.svg", DecodeOptions(vectorSize: .scale(10))).size == PixelSize(width: 80, height: 40)
    )
    let resized = try draw("gen-bars.svg", DecodeOptions(transforms: [.resize(width: 400, height: 400)]))
    #expect(resized.size == PixelSize(width: 400, height: 200))
    #expect(pixel(resized, 199, 150) == [255, 0, 0, 255] && pixel(resized, 200, 150) == [0, 0, 0, 0])
  }

  @Test("several sizes of one drawing are those of single requests")
  func sharing() throws {
    let data = try Fixture.data("svg/gen-bars.svg")
    let thumbnails: [Thumbnail?] = [.fit(width: 50), nil, .fill(width: 9, height: 9)]
    let images = try Self.coders.decode(data, thumbnails: thumbnails)
    for (image, thumbnail) in zip(images, thumbnails) {
      #expect(
        try image.bitmap == Self.coders.decode(data, options: DecodeOptions(thumbnail: thumbnail)).bitmap)
    }
  }

  @Test("Latin 1 with the entities of drawing programs")
  func entities() throws {
    #expect(pixel(try draw("gen-entities.svg"), 7, 3) == [0, 0x88, 0, 255])
  }

  @Test("limits hold for the drawn size, and damage is corrupt")
  func refusals() throws {
    func code(_ text: String, _ options: DecodeOptions = DecodeOptions()) -> String? {
      do throws(ImagingError) {
        _ = try Self.coders.decode(Data(text.utf8), options: options)
        return nil
      } catch {
        return error.code
      }
    }
    let drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'/>"
    #expect(code(drawing) == nil)
    #expect(code(drawing, DecodeOptions(vectorSize: .scale(1e7))) == "limitExceeded")
    #expect(code(drawing, DecodeOptions(thumbnail: .fit(width: 12_000))) == "limitExceeded")
    #expect(
      code(drawing, DecodeOptions(limits: DecodeLimits(maxSide: 99), vectorSize: .scale(10)))
        == "limitExceeded")
    #expect(code(drawing, DecodeOptions(limits: DecodeLimits(maxTextBytes: 20))) == "limitExceeded")
    #expect(code(drawing.replacing("/>", with: ">")) == "corrupt")
    #expect(code(drawing.replacing("10", with: "0")) == "corrupt")
  }

  // MARK: In a process of its own

  /// Returns the fields of each line, and the signal that ended the process.
  private func drawer(_ arguments: [String]) throws -> (lines: [[String]], signal: Int32) {
    let program = try #require(helperProgram("SVGDrawer"))
    let child = try Child(program, arguments)
    var bytes: [UInt8] = []
    while true {
      let more = child.read(upTo: 1 << 16)
      if more.isEmpty { break }
      bytes += more
    }
    let signal = child.wait()
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return (lines.map { $0.split(separator: "\t").map(String.init) }, signal)
  }

  private func path(_ name: String) -> String { Fixture.folder.appending(path: "svg/\(name)").path }

  @Test("after the warm-up text and pictures are drawn without opening files")
  func warmUp() throws {
    let names = ["gen-text.svg", "gen-bars.svg", "gen-text.svg"]
    let (lines, signal) = try drawer(names.map(path))
    #expect(signal == 0 && lines.map(\.count) == [4, 4, 4], "\(lines)")
    guard lines.count == 3, lines[0].count == 4 else { return }
    #expect(lines[0] == lines[2])
    // Each of the three words is there.
    let grid = Array(lines[0][3].utf8)
    func ink(_ columns: Range<Int>, _ rows: Range<Int>) -> Bool {
      rows.contains { row in columns.contains { grid[8 * (8 * row + $0) + 6] != 0x30 } }
    }
    #expect(ink(0..<2, 1..<3) && ink(0..<3, 5..<7) && ink(4..<7, 1..<3) && !ink(4..<8, 5..<8))
  }

  @Test("a drawing that aborts librsvg ends its process")
  func abort() throws {
    let (lines, signal) = try drawer([path("gen-bars.svg"), path("gen-language.svg"), path("gen-bars.svg")])
    #expect(lines.count == 1 && signal == 6, "\(lines)")
  }
}
#endif
