import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// The format that suits the content.
@Suite struct AutomaticFormatTests {
  private typealias Content = AutomaticFormat.Content

  private func ways(_ content: Content, _ formats: [ImageFormat]) -> [String] {
    AutomaticFormat.ways(for: content, among: formats).map {
      "\($0.format)\($0.isLossless ? " lossless" : "")"
    }
  }

  @Test func contentDecides() {
    let all: [ImageFormat] = [.avif, .webp, .png, .jpeg, .gif]
    let web: [ImageFormat] = [.webp, .png, .jpeg, .gif]
    let old: [ImageFormat] = [.png, .jpeg, .gif]
    #expect(ways(Content(), all) == ["avif"])
    #expect(ways(Content(), web) == ["webp", "jpeg"])
    #expect(ways(Content(), old) == ["jpeg"])
    #expect(ways(Content(hasAlpha: true), web) == ["webp"])
    #expect(ways(Content(hasAlpha: true), old) == ["png lossless"])
    #expect(ways(Content(hasFewColors: true), web) == ["webp lossless", "png lossless"])
    #expect(ways(Content(hasFewColors: true), [.jpeg]) == ["jpeg"])
    #expect(ways(Content(isDrawing: true), web) == ["webp lossless", "webp", "jpeg"])
    #expect(ways(Content(isDrawing: true), old) == ["png lossless", "jpeg"])
    #expect(ways(Content(isAnimated: true), web) == ["webp"])
    #expect(ways(Content(hasFewColors: true, isAnimated: true), web) == ["webp lossless", "gif"])
    #expect(ways(Content(hasFewColors: true, isAnimated: true), old) == ["gif"])
    for formats in [[.jpeg], [.gif], [.png], [.bmp], [.avif]] as [[ImageFormat]] {
      for number in 0..<16 {
        let content = Content(
          hasAlpha: number & 1 != 0, hasFewColors: number & 2 != 0, isDrawing: number & 4 != 0,
          isAnimated: number & 8 != 0)
        #expect(!AutomaticFormat.ways(for: content, among: formats).isEmpty)
      }
    }
  }

  @Test func theSmallestFileIsDelivered() throws {
    let coders = CoderRegistry.standard
    let icon = Image(
      bitmap: try ResamplePictures.make(64, 64) { x, y in
        [x / 32 * 255, y / 32 * 255, 0, 255].map { UInt8($0) }
      })
    let photo = Image(bitmap: try ResamplePictures.noise(120, 90, opaque: true, seed: 3))
    for (image, formats) in [
      (icon, [.webp, .png, .jpeg]), (icon, [.png, .jpeg]), (photo, [.webp, .png, .jpeg]), (photo, [.png]),
    ] as [(Image, [ImageFormat])] {
      let made = try coders.encode(image, as: .automatic(among: formats))
      let format = try coders.probe(made).format
      #expect(formats.contains(format))
      #expect(try coders.decode(made).bitmap.size == image.bitmap.size)
    }
    #expect(try coders.probe(coders.encode(photo, as: .automatic(among: [.png, .jpeg]))).format == .jpeg)
    let drawn = try coders.encode(icon, as: .automatic(among: [.png, .jpeg]))
    #expect(try coders.probe(drawn).format == .png)
    #expect(try coders.decode(drawn).bitmap == icon.bitmap)
    // A grey photograph has few colours, and is a photograph.
    let gray = try PhotoFixture.picture("stream.jpg", side: 160).converted(to: .gray8)
    for bitmap in [gray, try gray.converted(to: .rgba8)] {
      let made = try coders.encode(Image(bitmap: bitmap), as: .automatic(among: [.png, .jpeg]))
      #expect(try coders.probe(made).format == .jpeg)
    }
  }

  @Test func animationsKeepTheirFrames() throws {
    let bitmaps = try (0..<3).map { index in
      try ResamplePictures.make(20, 20) { x, _ in [UInt8(x < index * 5 ? 255 : 0), 0, 0, 255] }
    }
    let source = AnimationSource(frameCount: 3, loopCount: 0) { (index) throws(ImagingError) in
      AnimationSource.Frame(bitmap: bitmaps[index], duration: .milliseconds(100))
    }
    let coders = CoderRegistry.standard
    let made = try coders.encode(source, as: .automatic(among: [.webp, .gif, .jpeg]))
    let animation = try AnimatedImage(data: made)
    #expect(animation.frameCount == 3)
    for index in 0..<3 {
      #expect(try animation.frame(at: index).bitmap == source.frame(index).bitmap)
    }
  }

  @Test func formatsWithoutAnEncoderAreRefused() throws {
    let image = Image(bitmap: try ResamplePictures.noise(3, 3))
    #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.encode(image, as: .automatic(among: [.svg]))
    }
    #expect(throws: ImagingError.self) { try CoderRegistry.standard.encode(image, as: .automatic(among: [])) }
  }

  @Test func theFormatsArePartOfTheOptions() {
    #expect(EncodeOptions.automatic(among: [.webp]) != .automatic(among: [.png]))
    #expect(EncodeOptions.automatic(among: [.webp, .png]).possibleFormats == [.webp, .png])
    #expect(EncodeOptions.png.possibleFormats == [.png])
  }
}
