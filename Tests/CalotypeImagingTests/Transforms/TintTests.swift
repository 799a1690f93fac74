import Testing

@testable import CalotypeImaging

@Suite struct TintTests {
  typealias Pictures = ResamplePictures

  private func pixel(_ step: Transforms.Tint, _ value: [UInt8]) throws -> [UInt8] {
    Pictures.bytes(try step.apply(to: Bitmap.row([value])))
  }

  @Test func sourceInKeepsOnlyTheShape() throws {
    let tint = Transforms.Tint(PixelColor(red: 200, green: 100, blue: 50, alpha: 128))
    #expect(tint.mode == .sourceIn)
    #expect(try pixel(tint, [1, 2, 3, 255]) == [200, 100, 50, 128])
    #expect(try pixel(tint, [1, 2, 3, 100]) == [200, 100, 50, 50])
    #expect(try pixel(tint, [1, 2, 3, 0])[3] == 0)
  }

  @Test func handComputedOperators() throws {
    let half = PixelColor(red: 255, green: 0, blue: 100, alpha: 51)
    // A fifth of the tint and four fifths of the picture.
    #expect(
      try pixel(Transforms.Tint(half, mode: .sourceOver), [100, 100, 100, 255]) == [131, 80, 100, 255])
    #expect(try pixel(Transforms.Tint(half, mode: .sourceOver), [9, 9, 9, 0]) == [255, 0, 100, 51])
    #expect(try pixel(Transforms.Tint(half, mode: .sourceAtop), [100, 100, 100, 40]) == [131, 80, 100, 40])
    #expect(try pixel(Transforms.Tint(half, mode: .destinationIn), [1, 2, 3, 255]) == [1, 2, 3, 51])
    #expect(try pixel(Transforms.Tint(half, mode: .destinationOut), [1, 2, 3, 255]) == [1, 2, 3, 204])
    #expect(try pixel(Transforms.Tint(half, mode: .sourceOut), [1, 2, 3, 55]) == [255, 0, 100, 40])
    #expect(try pixel(Transforms.Tint(half, mode: .multiply), [100, 100, 255, 255]) == [100, 80, 224, 255])
    #expect(try pixel(Transforms.Tint(.white, mode: .difference), [100, 0, 255, 255]) == [155, 255, 0, 255])
  }

  /// Compositing and Blending Level 1, sections 9.1 and 10.1, with premultiplied colours.
  private func reference(_ mode: Transforms.BlendMode, _ color: PixelColor, _ pixel: [UInt8]) -> [Double] {
    let source = [color.red, color.green, color.blue].map { Double($0) / 255 }
    let backdrop = pixel[0..<3].map { Double($0) / 255 }
    let (a, b) = (Double(color.alpha) / 255, Double(pixel[3]) / 255)
    let factors: (source: Double, backdrop: Double) =
      switch mode {
      case .sourceIn: (b, 0)
      case .sourceAtop: (b, 1 - a)
      case .sourceOut: (1 - b, 0)
      case .destinationOver: (1 - b, 1)
      case .destinationIn: (0, a)
      case .destinationOut: (0, 1 - a)
      case .destinationAtop: (1 - b, a)
      case .xor: (1 - b, 1 - a)
      default: (1, 1 - a)
      }
    let colors = (0..<3).map { channel in
      let blended = (1 - b) * source[channel] + b * blend(mode, backdrop[channel], source[channel])
      return a * factors.source * blended + b * factors.backdrop * backdrop[channel]
    }
    return colors + [a * factors.source + b * factors.backdrop]
  }

  private func blend(_ mode: Transforms.BlendMode, _ b: Double, _ s: Double) -> Double {
    func hardLight(_ b: Double, _ s: Double) -> Double {
      s <= 0.5 ? 2 * s * b : 1 - (1 - b) * (2 - 2 * s)
    }
    switch mode {
    case .multiply: return b * s
    case .screen: return 1 - (1 - b) * (1 - s)
    case .overlay: return hardLight(s, b)
    case .darken: return b < s ? b : s
    case .lighten: return b > s ? b : s
    case .colorDodge: return b == 0 ? 0 : b >= 1 - s ? 1 : b / (1 - s)
    case .colorBurn: return b == 1 ? 1 : 1 - b >= s ? 0 : 1 - (1 - b) / s
    case .hardLight: return hardLight(b, s)
    case .softLight:
      let d = b <= 0.25 ? 16 * b * b * b - 12 * b * b + 4 * b : b.squareRoot()
      return s <= 0.5 ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (d - b)
    case .difference: return b > s ? b - s : s - b
    case .exclusion: return b * (1 - s) + s * (1 - b)
    default: return s
    }
  }

  @Test(arguments: Transforms.BlendMode.allCases) func agreesWithTheSpecification(mode: Transforms.BlendMode)
    throws
  {
    var generator = Pictures.SplitMix(state: 3)
    let edges: [UInt8] = [0, 255, 0, 255]
    for round in 0..<300 {
      func sample() -> UInt8 {
        round % 3 == 0
          ? edges[Int.random(in: 0..<4, using: &generator)] : .random(in: 0...255, using: &generator)
      }
      let color = PixelColor(red: sample(), green: sample(), blue: sample(), alpha: sample())
      let source = [sample(), sample(), sample(), sample()]
      let result = try pixel(Transforms.Tint(color, mode: mode), source)
      let expected = reference(mode, color, source)
      #expect(abs(Double(result[3]) - expected[3] * 255) <= 0.51)
      guard expected[3] > 0.001 else { continue }
      for channel in 0..<3 {
        #expect(
          abs(Double(result[channel]) - expected[channel] / expected[3] * 255) <= 0.51,
          "\(mode) \(color) on \(source): \(result)")
      }
    }
  }

  @Test func opaqueIsWhatIsOpaque() throws {
    let opaque = try Pictures.noise(4, 4)
    let mixed = try Pictures.noise(40, 4, opaque: false)
    #expect(try Transforms.Tint(.black, mode: .sourceOver).apply(to: mixed).isOpaque)
    #expect(try Transforms.Tint(.black, mode: .sourceIn).apply(to: opaque).isOpaque)
    #expect(try !Transforms.Tint(.black, mode: .sourceIn).apply(to: mixed).isOpaque)
    #expect(try !Transforms.Tint(.black, mode: .xor).apply(to: opaque).isOpaque)
  }

  @Test func spelling() throws {
    let orange = PixelColor(red: 255, green: 128, blue: 0, alpha: 128)
    try StepSpelling.expectRoundTrip(
      Transforms.Tint(orange), "tint:ff800080,mode=sourceIn", Transforms.Tint.init)
    for mode in Transforms.BlendMode.allCases {
      try StepSpelling.expectRoundTrip(
        Transforms.Tint(.black, mode: mode), "tint:000000,mode=\(mode.rawValue)", Transforms.Tint.init)
    }
    #expect(
      try RasterSteps.parsed("tint:white,multiply", Transforms.Tint.init)
        == Transforms.Tint(.white, mode: .multiply))
    StepSpelling.expectRefused(
      ["tint", "tint:red", "tint:fff,mode=x", "tint:fff,xor,1", "tint:fff,a=b"], name: "tint",
      Transforms.Tint.init)
  }
}
