import Calotype
import CalotypeTestKit
import Testing

/// The pictures between two pictures.
@Suite("Cross-fade", .timeLimit(.minutes(5)))
struct CrossFadeTests {
  private func bitmap(_ width: Int, _ height: Int, _ color: PixelColor) throws -> Bitmap {
    try SampleImages.bitmap(width: width, height: height, color: color)
  }

  private func pixel(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> PixelColor {
    bitmap.withUnsafeBytes { bytes in
      let place = 4 * (y * bitmap.width + x)
      return PixelColor(
        red: bytes[place], green: bytes[place + 1], blue: bytes[place + 2], alpha: bytes[place + 3])
    }
  }

  @Test("the first picture at 0, the second at 1, and what lies outside is the nearer one")
  func ends() throws {
    let (first, second) = (
      try SampleImages.bitmap(width: 9, height: 7),
      try bitmap(9, 7, PixelColor(red: 1, green: 2, blue: 3))
    )
    let fade = try CrossFade(from: first, to: second)
    for progress in [0, -1, -.infinity, .nan] as [Double] {
      #expect(try fade.bitmap(at: progress) == first)
    }
    for progress in [1, 2, .infinity] as [Double] {
      #expect(try fade.bitmap(at: progress) == second)
    }
  }

  @Test("opaque pictures are mixed sample by sample", arguments: [0.1, 0.25, 0.5, 0.9])
  func opaque(_ progress: Double) throws {
    let first = try SampleImages.bitmap(width: 31, height: 17)
    let second = try bitmap(31, 17, PixelColor(red: 200, green: 0, blue: 255))
    let mixed = try CrossFade(from: first, to: second).bitmap(at: progress)
    #expect(mixed.isOpaque)
    let part = (progress * 4096).rounded() / 4096
    var largest = 0.0
    first.withUnsafeBytes { a in
      second.withUnsafeBytes { b in
        mixed.withUnsafeBytes { m in
          for index in a.indices {
            let expected = Double(a[index]) * (1 - part) + Double(b[index]) * part
            largest = max(largest, abs(expected - Double(m[index])))
          }
        }
      }
    }
    #expect(largest <= 0.5)
  }

  @Test("colours count as far as they are seen; where neither is seen there is none")
  func transparent() throws {
    let red = try bitmap(1, 1, PixelColor(red: 255, green: 0, blue: 0))
    let hidden = try bitmap(1, 1, PixelColor(red: 0, green: 255, blue: 0, alpha: 0))
    let faint = try bitmap(1, 1, PixelColor(red: 0, green: 0, blue: 200, alpha: 85))
    // No dark fringe: what fades out keeps its colour.
    #expect(
      pixel(try CrossFade(from: red, to: hidden).bitmap(at: 0.5), 0, 0)
        == PixelColor(red: 255, green: 0, blue: 0, alpha: 128))
    // 255 parts of red against 85 of blue.
    #expect(
      pixel(try CrossFade(from: red, to: faint).bitmap(at: 0.5), 0, 0)
        == PixelColor(red: 191, green: 0, blue: 50, alpha: 170))
    #expect(pixel(try CrossFade(from: hidden, to: hidden).bitmap(at: 0.5), 0, 0) == .clear)
    #expect(try !CrossFade(from: red, to: hidden).bitmap(at: 0.5).isOpaque)
  }

  @Test("without a first picture, the second one comes out of nothing")
  func fromNothing() throws {
    let white = try bitmap(2, 2, .white)
    let fade = try CrossFade(from: nil, to: white)
    #expect(pixel(fade.start, 1, 1) == .clear && !fade.start.isOpaque)
    #expect(
      pixel(try fade.bitmap(at: 0.5), 0, 1)
        == PixelColor(red: 255, green: 255, blue: 255, alpha: 128))
  }

  @Test(
    "a picture of the same proportions, but for rounding, is brought to the size of the other",
    arguments: [
      (10, 8, 100, 80), (33, 22, 100, 67), (100, 67, 33, 22), (7, 5, 640, 480), (1, 1, 3, 3),
    ])
  func sameProportions(_ width: Int, _ height: Int, _ toWidth: Int, _ toHeight: Int) throws {
    let color = PixelColor(red: 10, green: 20, blue: 30)
    let fade = try CrossFade(
      from: bitmap(width, height, color), to: bitmap(toWidth, toHeight, .white))
    #expect(fade.start.size == PixelSize(width: toWidth, height: toHeight))
    #expect(
      pixel(fade.start, 0, 0) == color && pixel(fade.start, toWidth - 1, toHeight - 1) == color)
    #expect(try fade.bitmap(at: 0.5).size == fade.end.size)
  }

  @Test("a picture of other proportions is fitted into the other, in the middle")
  func otherProportions() throws {
    let fade = try CrossFade(from: bitmap(10, 10, .black), to: bitmap(100, 50, .white))
    #expect(fade.start.size == PixelSize(width: 100, height: 50))
    #expect(pixel(fade.start, 24, 25) == .clear && pixel(fade.start, 25, 25) == .black)
    #expect(pixel(fade.start, 74, 25) == .black && pixel(fade.start, 75, 25) == .clear)
    #expect(
      pixel(try fade.bitmap(at: 0.5), 0, 0)
        == PixelColor(red: 255, green: 255, blue: 255, alpha: 128))
    #expect(pixel(try fade.bitmap(at: 0.5), 50, 25) == PixelColor(red: 128, green: 128, blue: 128))
  }

  @Test("other formats are converted; a cancelled task gets no picture")
  func formats() async throws {
    let gray = try bitmap(4, 4, .white).converted(to: .gray8)
    let fade = try CrossFade(from: gray, to: bitmap(4, 4, .black).converted(to: .rgba16))
    #expect(pixel(try fade.bitmap(at: 0.5), 3, 3) == PixelColor(red: 128, green: 128, blue: 128))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try fade.bitmap(at: 0.5)
    }
    task.cancel()
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
