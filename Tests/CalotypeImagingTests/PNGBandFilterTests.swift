import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// PNG of pictures that mix drawings and photographs.
@Suite("PNG filters by bands")
struct PNGBandFilterTests {
  /// Returns evenly mixed bits of a number (Steele et al. 2014).
  private static func mixed(_ number: Int) -> UInt64 {
    var z = UInt64(truncatingIfNeeded: number) &* 0x9e37_79b9_7f4a_7c15
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }

  /// Letters of forty shapes in the upper half, and a smooth picture with noise below.
  static func mixed(width: Int, height: Int) throws -> Bitmap {
    try ResamplePictures.make(width, height) { x, y in
      if y < height / 2 {
        let shape = Int(mixed(x / 8 &+ 1000 &* (y / 16)) % 40)
        let isInk = mixed(shape &* 128 &+ y % 16 &* 8 &+ x % 8) % 3 == 0
        return isInk ? [20, 30, 200, 255] : [250, 250, 245, 255]
      }
      let noise = Int(mixed(y &* width &+ x) & 3)
      return [
        UInt8((x / 3 + noise) & 255), UInt8((y / 2 + noise) & 255), UInt8(((x + y) / 5 + noise) & 255), 255,
      ]
    }
  }

  private static func samples(_ bitmap: Bitmap, isInterlaced: Bool = false) throws -> PNGSamples {
    let survey = PNGSurvey(clears: false)
    try survey.add(bitmap)
    let layouts = PNGLayout.candidates(for: survey, rules: .init(allowsGray: false, allowsPalette: false)) {
      _ in false
    }
    return try PNGSamples(bitmap, try #require(layouts.first), isInterlaced: isInterlaced)
  }

  private static func rows(
    _ samples: PNGSamples, _ bitmap: Bitmap, _ filter: PNGFilter
  ) throws -> (bytes: [UInt8], facts: PNGBandFilter.Facts?) {
    let rows = PNGFilteredRows(samples, area: PixelRectangle(bitmap.size), filter: filter)
    var bytes: [UInt8] = []
    let facts = try rows.forEach { bytes.append(contentsOf: $0) }
    #expect(bytes.count == (try rows.byteCount))
    return (bytes, facts)
  }

  @Test("drawings stay unfiltered and photographs are filtered")
  func choice() throws {
    let bitmap = try Self.mixed(width: 400, height: 512)
    let samples = try Self.samples(bitmap)
    let (bytes, found) = try Self.rows(samples, bitmap, .bands)
    let facts = try #require(found)
    let types = stride(from: 0, to: bytes.count, by: 1201).map { bytes[$0] }
    #expect(types[..<256].allSatisfy { $0 == 0 })
    #expect(types[256...].count { $0 != 0 } > 250)
    #expect(facts.byteCount == bytes.count && facts.filteredBytes == bytes.count / 2)
    #expect(facts.bits > 0 && facts.bits < Double(4 * bytes.count))
  }

  @Test("each row is that of one of the two ways")
  func rows() throws {
    for isInterlaced in [false, true] {
      let bitmap = try Self.mixed(width: 301, height: 143)
      let samples = try Self.samples(bitmap, isInterlaced: isInterlaced)
      let bands = try Self.rows(samples, bitmap, .bands).bytes
      let ways = [
        try Self.rows(samples, bitmap, .none).bytes, try Self.rows(samples, bitmap, .leastSum).bytes,
      ]
      var at = 0
      for pass in PNGPass.all(of: samples.header) {
        let length = samples.header.rowBytes(width: pass.size.width) + 1
        for _ in 0..<pass.size.height {
          #expect(ways.contains { $0[at..<at + length] == bands[at..<at + length] })
          at += length
        }
      }
      #expect(at == bands.count)
    }
  }

  @Test(
    "the file is smaller than with one way for all rows, and has the same pixels", arguments: [false, true])
  func file(isInterlaced: Bool) throws {
    let bitmap = try Self.mixed(width: 400, height: 512)
    for effort in [EncodeOptions.Effort.balanced, .small] {
      var options = EncodeOptions.png
      (options.effort, options.isInterlaced) = (effort, isInterlaced)
      let file = try PNGEncoder().encode(Image(bitmap: bitmap), options: options)
      let decoded = try PNGDecoder().decode(file, minimumSize: nil, options: DecodeOptions())
      #expect(decoded.bitmap == bitmap)
      guard !isInterlaced else { continue }
      let samples = try Self.samples(bitmap)
      for filter in [PNGFilter.none, .leastSum] {
        let rows = PNGFilteredRows(samples, area: PixelRectangle(bitmap.size), filter: filter)
        let whole = try PNGDeflater.stream(rows, .init(effort, filter, byteCount: rows.byteCount))
        #expect(file.count < whole.count, "\(effort), \(filter)")
      }
    }
  }
}
