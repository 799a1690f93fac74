import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// The frames of APNG on their canvas.
@Suite struct PNGFrameTests {
  private struct Step: Sendable {
    var area: PixelRectangle
    var disposal: UInt8
    var blend: UInt8
    var color: @Sendable (Int, Int) -> [Int]
  }

  private static let canvas = PixelSize(width: 7, height: 5)

  /// Frames of every disposal and blend in an order that makes each of them matter.
  private static let steps: [Step] = {
    var steps = [
      Step(area: PixelRectangle(canvas), disposal: 0, blend: 0) { x, y in [x * 30, y * 50, 9, 200] }
    ]
    for (index, pair) in [(2, 1), (1, 1), (0, 1), (2, 0), (2, 1), (1, 0), (0, 0), (1, 1), (0, 1)].enumerated()
    {
      let size = PixelSize(width: 2 + index % 4, height: 1 + index % 3)
      let area = PixelRectangle(x: index % (8 - size.width), y: index % (6 - size.height), size: size)
      steps.append(
        Step(area: area, disposal: UInt8(pair.0), blend: UInt8(pair.1)) { x, y in
          [index * 20, x * 60, y * 60, (index * 60 + x * 85) % 256]
        })
    }
    return steps
  }()

  private static func data(isInterlaced: Bool, steps: [Step]) -> Data {
    let file = PNGTestFile(width: canvas.width, height: canvas.height, isInterlaced: isInterlaced)
    var chunks = PNGTestFile.animation(frames: steps.count)
    var sequence = 0
    for (index, step) in steps.enumerated() {
      let area = step.area
      chunks += PNGTestFile.frame(
        sequence, area.size.width, area.size.height, x: area.x, y: area.y, disposal: step.disposal,
        blend: step.blend)
      sequence += 1
      let stream = file.compressed(size: (area.size.width, area.size.height)) { x, y, c in step.color(x, y)[c]
      }
      if index == 0 {
        chunks += PNGTestFile.chunk("IDAT", stream)
      } else {
        chunks += PNGTestFile.frameData(sequence, stream)
        sequence += 1
      }
    }
    return file.file(chunks)
  }

  /// The canvases by the words of the specification.
  private static func canvases(_ steps: [Step]) -> [[UInt8]] {
    var canvas = [[Int]](repeating: [0, 0, 0, 0], count: Self.canvas.pixelCount)
    var result: [[UInt8]] = []
    for (index, step) in steps.enumerated() {
      let before = canvas
      for y in 0..<step.area.size.height {
        for x in 0..<step.area.size.width {
          let at = (step.area.y + y) * Self.canvas.width + step.area.x + x
          let (s, d) = (step.color(x, y), canvas[at])
          if step.blend == 0 || s[3] == 255 {
            canvas[at] = s
          } else if s[3] > 0 {
            let alpha = s[3] * 255 + d[3] * (255 - s[3])
            let color = (0..<3).map { (channel: Int) -> Int in
              let sum = s[channel] * s[3] * 255 + d[channel] * d[3] * (255 - s[3])
              return (2 * sum + alpha) / (2 * alpha)
            }
            canvas[at] = color + [(2 * alpha + 255) / 510]
          }
        }
      }
      result.append(canvas.flatMap { $0.map { UInt8($0) } })
      for y in step.area.y..<step.area.y + step.area.size.height {
        for x in step.area.x..<step.area.x + step.area.size.width {
          let at = y * Self.canvas.width + x
          // The first frame has nothing before it: to restore it is to clear it.
          if step.disposal == 1 || (step.disposal == 2 && index == 0) { canvas[at] = [0, 0, 0, 0] }
          if step.disposal == 2 && index > 0 { canvas[at] = before[at] }
        }
      }
    }
    return result
  }

  @Test(arguments: [false, true]) func disposalsAndBlends(isInterlaced: Bool) throws {
    for first in [UInt8(0), 1, 2] {
      var steps = Self.steps
      steps[0].disposal = first
      let expected = Self.canvases(steps)
      let data = Self.data(isInterlaced: isInterlaced, steps: steps)
      let decoder = try #require(try PNGDecoder().makeFrameDecoder(data, options: DecodeOptions()))
      #expect(decoder.info.frameCount == steps.count)
      for index in expected.indices {
        #expect(try decoder.frame(at: index).bytes == expected[index], "frame \(index)")
      }
    }
  }

  @Test func anyOrderIsTheSame() throws {
    var steps = Self.steps
    // Frames that hide all before them, one of which is taken back.
    for (index, disposal) in [(4, UInt8(0)), (7, 2)] {
      steps.insert(
        Step(area: PixelRectangle(Self.canvas), disposal: disposal, blend: 0) { x, y in [x, y, index, 128] },
        at: index)
    }
    let expected = Self.canvases(steps)
    let data = Self.data(isInterlaced: false, steps: steps)
    for seed in 1...20 {
      let decoder = try #require(try PNGDecoder().makeFrameDecoder(data, options: DecodeOptions()))
      var state = UInt32(seed)
      for _ in 0..<30 {
        state = state &* 1_664_525 &+ 1_013_904_223
        let index = Int(state >> 16) % steps.count
        #expect(try decoder.frame(at: index).bytes == expected[index], "frame \(index)")
      }
    }
  }

  @Test func damageLeavesOtherFramesAlone() throws {
    let file = PNGTestFile(width: 4, height: 3)
    let red = PNGTestFile.chunk("IDAT", file.compressed { _, _, c in [200, 0, 0, 255][c] })
    var broken = PNGTestFile.frameData(2, file.compressed { _, _, _ in 1 })
    broken[broken.count - 1] ^= 1
    let data = file.file(
      PNGTestFile.animation(frames: 2), PNGTestFile.frame(0, 4, 3), red, PNGTestFile.frame(1, 4, 3), broken)
    let decoder = try #require(
      try PNGDecoder().makeFrameDecoder(data, options: DecodeOptions(damage: .strict)))
    #expect(decoder.info.frameCount == 2)
    let first = try decoder.frame(at: 0)
    #expect(throws: ImagingError.self) { try decoder.frame(at: 1) }
    // Too few rows, with the right CRC: those that are there, over the frame before.
    let short = PNGTestFile.frameData(2, Array(file.compressed { _, _, _ in 1 }.dropLast(30)))
    let shortened = file.file(
      PNGTestFile.animation(frames: 2), PNGTestFile.frame(0, 4, 3), red, PNGTestFile.frame(1, 4, 3), short)
    let tolerant = try #require(try PNGDecoder().makeFrameDecoder(shortened, options: DecodeOptions()))
    let damaged = try tolerant.frame(at: 1).bytes
    #expect(damaged.prefix(16).allSatisfy { $0 == 1 } && damaged.suffix(16) == first.bytes.suffix(16))
    #expect(tolerant.isFrameDamaged && !tolerant.isFramePartial)
    #expect(try tolerant.frame(at: 0) == first && !tolerant.isFrameDamaged)
    #expect(try decoder.frame(at: 0) == first)
    #expect(throws: ImagingError.self) { try decoder.frame(at: 2) }
  }

  @Test func stillsHaveNoFrames() throws {
    let data = try Fixture.data("png/basn2c08.png")
    #expect(try PNGDecoder().makeFrameDecoder(data, options: DecodeOptions()) == nil)
  }

  @Test func allFramesTogetherAreLimited() throws {
    let data = Self.data(isInterlaced: false, steps: Self.steps)
    let file = try #require(try PNGDecoder().makeFrameDecoder(data, options: DecodeOptions()))
    let total = file.info.frameCount * file.info.size.pixelCount
    let enough = DecodeOptions(limits: DecodeLimits(maxTotalPixels: total))
    #expect(try PNGDecoder().makeFrameDecoder(data, options: enough) != nil)
    let few = DecodeLimits(maxTotalPixels: total - 1)
    #expect(throws: ImagingError.limitExceeded(.totalPixels, value: total, limit: total - 1)) {
      try PNGDecoder().makeFrameDecoder(data, options: DecodeOptions(limits: few))
    }
    // The first frame is a picture all the same.
    #expect(try PNGDecoder().probe(data, limits: few).frameCount == file.info.frameCount)
    #expect(
      try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions(limits: few)).bitmap
        == file.frame(at: 0))
  }
}
