import CalotypeImaging
import CalotypeTestKit
import FoundationEssentials
import Testing

/// Images without files.
@Suite("Sample images")
struct SampleImagesTests {
  @Test(
    "stills of each format have the size that was asked for",
    arguments: [.png, .jpeg(), .webp(), .webpLossless, .gif] as [EncodeOptions])
  func stills(options: EncodeOptions) throws {
    let data = try SampleImages.still(options, width: 37, height: 21)
    let info = try CoderRegistry.standard.probe(data)
    #expect(info.format == options.format && info.size == PixelSize(width: 37, height: 21))
    #expect(info.frameCount == 1)
    #expect(try SampleImages.still(options, width: 37, height: 21) == data)
    #expect(try SampleImages.still(options, width: 37, height: 21, color: .white) != data)
  }

  @Test("pixels come back from a lossless format, colour and alpha included")
  func pixels() throws {
    let color = PixelColor(red: 10, green: 200, blue: 30, alpha: 128)
    for options in [EncodeOptions.png, .webpLossless] {
      let image = try CoderRegistry.standard.decode(try SampleImages.still(options, color: color))
      #expect(try image.bitmap == SampleImages.bitmap(color: color))
      let pattern = try CoderRegistry.standard.decode(SampleImages.still(options, width: 40, height: 30))
      #expect(try pattern.bitmap == SampleImages.bitmap(width: 40, height: 30))
    }
  }

  @Test(
    "animations have the frames that were asked for, all different",
    arguments: [.gif, .apng, .webp(), .webpLossless] as [EncodeOptions])
  func animations(options: EncodeOptions) throws {
    let data = try SampleImages.animation(
      options, frames: 5, width: 20, height: 10, duration: .milliseconds(80), loopCount: 2)
    let animation = try AnimatedImage(data: data)
    #expect(animation.frameCount == 5 && animation.info.loopCount == 2)
    #expect(animation.info.durations == Array(repeating: .milliseconds(80), count: 5))
    var frames: [Bitmap] = []
    for index in 0..<5 { frames.append(try animation.frame(at: index).bitmap) }
    for (index, frame) in frames.enumerated() { #expect(!frames[..<index].contains(frame)) }
  }

  @Test("a progressive JPEG shows something before it is whole")
  func progressive() throws {
    let data = try SampleImages.progressiveJPEG(width: 200, height: 150)
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    try decoder.append(data.prefix(data.count * 2 / 3))
    let snapshot = try #require(try decoder.snapshot())
    #expect(snapshot.bitmap.size == PixelSize(width: 200, height: 150) && snapshot.isPartial)
  }

  @Test("what cannot be made is an error")
  func impossible() {
    #expect(throws: ImagingError.self) { try SampleImages.still(width: 0) }
    #expect(throws: ImagingError.self) { try SampleImages.animation(.jpeg()) }
    #expect(throws: ImagingError.self) { try SampleImages.animation(frames: 0) }
  }
}
