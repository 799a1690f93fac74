#if JXL
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("JPEG XL: animations")
struct JXLAnimationTests {
  private static let durations = [40, 120, 5, 250, 1000]

  private static func animation() throws -> (data: Data, frames: [Bitmap]) {
    let size = PixelSize(width: 50, height: 37)
    let frames = try (0..<durations.count).map { index in
      try OrientationTests.bitmap(size) { x, y in
        UInt32(truncatingIfNeeded: (x &+ index &* 7) &* 0x0001_0305 &+ y &* 0x0100_0201) | 0x8000_0000
      }
    }
    let source = AnimationSource(frameCount: frames.count, loopCount: 3) { index throws(ImagingError) in
      AnimationSource.Frame(bitmap: frames[index], duration: .milliseconds(durations[index]))
    }
    return (try CoderRegistry.standard.encode(source, as: .jxlLossless), frames)
  }

  @Test("frames, times and plays by the headers, and every frame from every other one")
  func frames() throws {
    let (data, frames) = try Self.animation()
    let info = try CoderRegistry.standard.probe(data)
    #expect(info.frameCount == 5 && info.loopCount == 3)
    #expect(info.durations == [40, 120, 100, 250, 1000].map { .milliseconds($0) })
    let decoder = try #require(try JXLDecoder().makeFrameDecoder(data, options: DecodeOptions()))
    #expect(decoder.info == info)
    for first in frames.indices {
      for second in frames.indices {
        #expect(try decoder.frame(at: first) == frames[first])
        #expect(try decoder.frame(at: second) == frames[second])
      }
    }
    #expect(throws: ImagingError.self) { try decoder.frame(at: 5) }
    #expect(throws: ImagingError.self) { try decoder.frame(at: -1) }
    #expect(try JXLDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap == frames[0])
    // Frames that replace the whole canvas.
    #expect(frames.indices.allSatisfy { decoder.isKeyFrame($0) } && !decoder.isKeyFrame(5))
  }

  @Test("limits on frames and on all pixels; cut files")
  func limits() throws {
    let (data, frames) = try Self.animation()
    let few = DecodeLimits(maxFrames: 4)
    #expect(throws: ImagingError.limitExceeded(.frames, value: 5, limit: 4)) {
      try JXLDecoder().probe(data, limits: few)
    }
    let small = DecodeOptions(limits: DecodeLimits(maxTotalPixels: 5 * 50 * 37 - 1))
    #expect(throws: ImagingError.self) { try JXLDecoder().makeFrameDecoder(data, options: small) }
    let cut = data.prefix(data.count - 100)
    #expect(throws: ImagingError.truncated(.jxl, byteCount: cut.count)) {
      try JXLDecoder().makeFrameDecoder(cut, options: DecodeOptions())
    }
    let partial = DecodeOptions(allowsPartial: true)
    let decoder = try #require(try JXLDecoder().makeFrameDecoder(cut, options: partial))
    #expect(try decoder.frame(at: 0) == frames[0])
    _ = try decoder.frame(at: decoder.info.frameCount - 1)
    #expect(decoder.isFramePartial)
  }

  @Test("an animation of one frame is a still image")
  func single() throws {
    let bitmap = try SampleImages.bitmap(width: 9, height: 9)
    let source = AnimationSource(frameCount: 1, loopCount: 0) { _ throws(ImagingError) in
      AnimationSource.Frame(bitmap: bitmap, duration: .milliseconds(50))
    }
    let data = try JXLEncoder().encode(source, options: .jxlLossless)
    let info = try CoderRegistry.standard.probe(data)
    #expect(info.frameCount == 1 && info.durations.isEmpty && info.loopCount == 1)
    #expect(try JXLDecoder().makeFrameDecoder(data, options: DecodeOptions()) == nil)
  }
}
#endif
