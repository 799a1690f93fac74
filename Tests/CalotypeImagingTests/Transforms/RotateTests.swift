@testable import CalotypeImaging
import Glibc
import Testing

@Suite struct RotateTests {
  typealias Pictures = ResamplePictures

  /// The turned picture in double precision, one sum per sample: colours weighed by alpha, 0 to 255.
  static func reference(_ bitmap: Bitmap, _ step: Transforms.Rotate, _ size: PixelSize) -> [Double] {
    let source = Pictures.bytes(bitmap).map { Double($0) }
    let angle = step.degrees * .pi / 180
    let ground = step.background
    let colors = [ground.red, ground.green, ground.blue].map { Double($0) * Double(ground.alpha) / 255 }
    let background = colors + [Double(ground.alpha)]
    func weight(_ x: Double) -> Double {
      ReferenceResample.kernel(step.sampling == .bicubic ? .bicubic : .bilinear, x)
    }
    var result: [Double] = []
    for row in 0..<size.height {
      for column in 0..<size.width {
        // Mathematics has y upwards: there the picture turns by the angle, so the point turns back.
        let x = Double(column) + 0.5 - Double(size.width) / 2
        let y = Double(size.height) / 2 - Double(row) - 0.5
        let u = x * cos(angle) + y * sin(angle) + Double(bitmap.width) / 2 - 0.5
        let v = Double(bitmap.height) / 2 - (y * cos(angle) - x * sin(angle)) - 0.5
        var sums = [0.0, 0, 0, 0]
        for j in (Int(v.rounded(.down)) - 1)...(Int(v.rounded(.down)) + 2) {
          for i in (Int(u.rounded(.down)) - 1)...(Int(u.rounded(.down)) + 2) {
            let weight = weight(Double(i) - u) * weight(Double(j) - v)
            for channel in 0..<4 {
              guard 0..<bitmap.width ~= i, 0..<bitmap.height ~= j else {
                sums[channel] += weight * background[channel]
                continue
              }
              let first = 4 * (j * bitmap.width + i)
              let alpha = channel == 3 ? 1 : source[first + 3] / 255
              sums[channel] += weight * source[first + channel] * alpha
            }
          }
        }
        let alpha = min(max(sums[3], 0), 255)
        result += sums[..<3].map { min(max($0, 0), alpha) } + [alpha]
      }
    }
    return result
  }

  /// Rounding of a colour and of the alpha that it is weighed by: half a level each.
  static let tolerance = 1.01

  @Test(arguments: Transforms.Rotate.Sampling.allCases, [true, false])
  func agreesWithDoublePrecision(sampling: Transforms.Rotate.Sampling, opaque: Bool) throws {
    var generator = Pictures.SplitMix(state: 11)
    var sizes = [(1, 1), (1, 17), (23, 1), (2, 2), (3, 40)]
    for _ in 0..<12 {
      sizes.append((.random(in: 1...50, using: &generator), .random(in: 1...50, using: &generator)))
    }
    for (index, (width, height)) in sizes.enumerated() {
      let source = try Pictures.noise(width, height, opaque: opaque, seed: UInt64(index))
      let ground: PixelColor = [.clear, .white, PixelColor(red: 200, green: 10, blue: 90, alpha: 100)][
        index % 3]
      let step = Transforms.Rotate(
        degrees: Double.random(in: -400...400, using: &generator), fitsSize: index % 4 != 3,
        background: ground,
        sampling: sampling)
      let result = try step.apply(to: source)
      let difference = RasterSteps.largestDifference(result, Self.reference(source, step, result.size))
      #expect(difference <= Self.tolerance, "\(width)×\(height) \(step.identity)")
      #expect(result.isOpaque == (opaque && ground.alpha == 255))
      if !step.fitsSize { #expect(result.size == source.size) }
    }
  }

  @Test func quarterTurnsMovePixels() throws {
    let source = try RasterSteps.picture("RGB/KW.")
    func turned(_ degrees: Double) throws -> String {
      try Transforms.Rotate(degrees: degrees).apply(to: source).letters
    }
    #expect(try turned(90) == "B./GW/RK")
    #expect(try turned(180) == ".WK/BGR")
    #expect(try turned(270) == "KR/WG/.B")
    #expect(try turned(-90) == "KR/WG/.B")
    #expect(try turned(-1e17 * 360 - 0) == "RGB/KW.")
    #expect(try turned(450) == "B./GW/RK")
    for degrees in [0.0, -0.0, 360, -720] {
      #expect(RasterSteps.isSame(try Transforms.Rotate(degrees: degrees).apply(to: source), source))
    }
    var noise = try Pictures.noise(31, 18, opaque: false)
    let first = noise
    for _ in 0..<4 { noise = try Transforms.Rotate(degrees: 90).apply(to: noise) }
    #expect(noise == first)
  }

  @Test func quarterTurnsOnTheSameCanvas() throws {
    let source = try RasterSteps.picture("RGBW/KWRG")
    let step = Transforms.Rotate(degrees: 90, fitsSize: false, background: .black)
    // Turned: WG, BR, GW, RK. The middle two rows are on the canvas, a column of background on either side.
    #expect(try step.apply(to: source).letters == "KBRK/KGWK")
    let tall = try RasterSteps.picture("R/G/B")
    #expect(try Transforms.Rotate(degrees: -90, fitsSize: false).apply(to: tall).letters == "./G/.")
    #expect(try Transforms.Rotate(degrees: 180, fitsSize: false).apply(to: tall).letters == "B/G/R")
  }

  @Test func positiveAnglesAreCounterClockwise() throws {
    // A spot at the right of the middle goes up: to (50 + 40 cos 30°, 50 - 40 sin 30°).
    let source = try Pictures.make(101, 101) { x, y in
      abs(x - 90) <= 1 && abs(y - 50) <= 1 ? [255, 255, 255, 255] : [0, 0, 0, 255]
    }
    let result = try Transforms.Rotate(degrees: 30, fitsSize: false).apply(to: source)
    #expect(RasterSteps.pixel(result, 85, 30)[0] > 200)
    #expect(RasterSteps.pixel(result, 85, 70)[0] == 0)
  }

  @Test func theCanvasHoldsTheTurnedPicture() throws {
    let source = try Pictures.make(100, 50) { _, _ in [10, 200, 30, 255] }
    // 100 cos 45° + 50 sin 45° = 106.07
    let result = try Transforms.Rotate(degrees: 45).apply(to: source)
    #expect(result.size == PixelSize(width: 107, height: 107))
    #expect(try Transforms.Rotate(degrees: 1e-7).apply(to: source).size == source.size)
    // All of the area is there: the sum of alpha is that of the picture.
    let alphas = Pictures.bytes(result).enumerated().filter { $0.offset % 4 == 3 }.map { Int($0.element) }
    #expect(abs(Double(alphas.reduce(0, +)) / 255 - 5000) < 10)
    #expect(alphas.contains { 0 < $0 && $0 < 255 })
  }

  @Test func noColourComesFromTransparentPixels() throws {
    // Opaque green on transparent red, on a transparent ground.
    let source = try Pictures.make(40, 40, opaque: false) { x, y in
      10..<30 ~= x && 10..<30 ~= y ? [0, 255, 0, 255] : [255, 0, 0, 0]
    }
    for sampling in Transforms.Rotate.Sampling.allCases {
      let result = Pictures.bytes(try Transforms.Rotate(degrees: 20, sampling: sampling).apply(to: source))
      var partial = 0
      for first in stride(from: 0, to: result.count, by: 4) {
        let pixel = Array(result[first..<(first + 4)])
        #expect(pixel[3] == 0 ? pixel == [0, 0, 0, 0] : pixel[..<3] == [0, 255, 0])
        if 0 < pixel[3], pixel[3] < 255 { partial += 1 }
      }
      #expect(partial > 40)
    }
  }

  @Test func textAndNonsense() throws {
    let steps = [
      Transforms.Rotate(degrees: 90), Transforms.Rotate(degrees: -12.25, fitsSize: false),
      Transforms.Rotate(degrees: 1e-5, background: .white),
      Transforms.Rotate(
        degrees: 1e300, background: PixelColor(red: 1, green: 2, blue: 3, alpha: 4), sampling: .bilinear),
    ]
    for step in steps { #expect(try RasterSteps.readsBack(step, Transforms.Rotate.init), "\(step.identity)") }
    #expect(Set(steps.map(\.identity)).count == steps.count)
    #expect(Transforms.Rotate(degrees: -0.0).identity == "rotate:0")
    #expect(
      ImageTransform.rotate(degrees: 12.5, fitsSize: false, background: .white, sampling: .bilinear).identity
        == "rotate:12.5,fits=false,background=ffffff,sampling=bilinear")
    for text in [
      "rotate", "rotate:inf", "rotate:nan", "rotate:left", "rotate:1,fits=2", "rotate:1,sampling=box",
      "rotate:1,background=red", "rotate:1,size=3",
    ] {
      #expect(
        RasterSteps.invalid { try RasterSteps.parsed(text, Transforms.Rotate.init) } == "rotate", "\(text)")
    }
    let source = try Pictures.noise(3, 3)
    for degrees in [Double.nan, .infinity, -.infinity] {
      #expect(RasterSteps.invalid { try Transforms.Rotate(degrees: degrees).apply(to: source) } == "rotate")
    }
    // 70,000 pixels in a diagonal need a square of 2.4 billion.
    let line = try Pictures.noise(70_000, 1)
    #expect(RasterSteps.invalid { try Transforms.Rotate(degrees: 45).apply(to: line) } == "rotate")
    #expect(try Transforms.Rotate(degrees: 1e300).apply(to: source).width >= 3)
  }

  @Test func stopsWhenCancelled() async throws {
    let source = try Pictures.noise(30, 30)
    for step in [
      Transforms.Rotate(degrees: 10), Transforms.Rotate(degrees: 90),
      Transforms.Rotate(degrees: 10, sampling: .bilinear),
    ] {
      #expect(await RasterSteps.cancelled(step, source) == .cancelled)
    }
  }
}
