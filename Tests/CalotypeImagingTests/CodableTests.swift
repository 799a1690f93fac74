import CalotypeImaging
import FoundationEssentials
import Testing

@Suite("Values as JSON")
struct CodableTests {
  private func roundTrip<Value: Codable & Equatable>(_ value: Value) throws -> String {
    let data = try JSONEncoder().encode([value])
    #expect(try JSONDecoder().decode([Value].self, from: data) == [value])
    return String(decoding: data, as: UTF8.self)
  }

  @Test("what is written reads back")
  func roundTrips() throws {
    #expect(try roundTrip(ImageFormat(rawValue: "qoi")) == #"["qoi"]"#)
    #expect(try roundTrip(PixelColor(red: 255, green: 128, blue: 0, alpha: 9)) == #"["ff800009"]"#)
    _ = try roundTrip(PixelSize(width: 3, height: 4))
    _ = try roundTrip(
      ImageInfo(
        format: .gif, size: PixelSize(width: 3, height: 4), frameCount: 2, loopCount: 0,
        durations: [.milliseconds(20), .microseconds(1)], hasAlpha: true, bitDepth: 16,
        orientation: .rightTop,
        colorProfile: "P3", isDamaged: true))
    _ = try roundTrip(
      ImageSummary(
        averageColor: .white, dominantColors: [DominantColor(color: .black, share: 0.25)],
        hasTransparency: true,
        blurHash: "x", thumbHash: [1, 2]))
    var thumbnail = Thumbnail.fill(width: 320, height: 240)
    thumbnail.anchor = .focus(x: 0.3, y: 0.7)
    thumbnail.effort = .fast
    _ = try roundTrip(thumbnail)
    var options = EncodeOptions(format: ImageFormat(rawValue: "qoi"), quality: 7, extras: ["channels": "3"])
    options.keeps = [.exif]
    options.maxFileSize = 1000
    options.subsampling = .yuv444
    options.jpegTables = .standard
    options.qualityTarget = .target(.dssim(0.01), range: 20...90)
    _ = try roundTrip(options)
  }

  @Test("text that is no colour and no anchor is refused")
  func refusals() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([PixelColor].self, from: Data(#"["red?"]"#.utf8))
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Anchor].self, from: Data(#"["middle"]"#.utf8))
    }
  }
}
