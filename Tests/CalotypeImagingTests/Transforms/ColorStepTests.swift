import Testing

@testable import CalotypeImaging

@Suite struct ColorStepTests {
  typealias Pictures = ResamplePictures

  /// The result of a step for one pixel.
  private func pixel(_ step: some ImageTransforming, _ value: [UInt8]) throws -> [UInt8] {
    Pictures.bytes(try step.apply(to: Bitmap.row([value])))
  }

  @Test func brightnessAddsToEverySample() throws {
    #expect(try pixel(Transforms.Brightness(0.2), [0, 100, 250, 7]) == [51, 151, 255, 7])
    #expect(try pixel(Transforms.Brightness(-0.5), [0, 127, 255, 255]) == [0, 0, 128, 255])
    #expect(try pixel(Transforms.Brightness(1), [0, 127, 255, 9]) == [255, 255, 255, 9])
    #expect(try pixel(Transforms.Brightness(-1), [0, 127, 255, 9]) == [0, 0, 0, 9])
  }

  @Test func contrastSpreadsAboutTheMiddle() throws {
    #expect(try pixel(Transforms.Contrast(2), [100, 127, 128, 40]) == [73, 127, 129, 40])
    #expect(try pixel(Transforms.Contrast(0), [0, 90, 255, 255]) == [128, 128, 128, 255])
    #expect(try pixel(Transforms.Contrast(1000), [0, 127, 128, 255]) == [0, 0, 255, 255])
    #expect(try pixel(Transforms.Contrast(0.5), [0, 255, 127, 255]) == [64, 191, 127, 255])
  }

  @Test func gammaIsAPower() throws {
    #expect(try pixel(Transforms.Gamma(2), [0, 128, 255, 3]) == [0, 64, 255, 3])
    #expect(try pixel(Transforms.Gamma(0.5), [0, 64, 255, 3]) == [0, 128, 255, 3])
    #expect(try pixel(Transforms.Gamma(100), [254, 200, 255, 3]) == [172, 0, 255, 3])
  }

  @Test func invertMirrorsSamples() throws {
    #expect(try pixel(Transforms.Invert(), [0, 100, 255, 77]) == [255, 155, 0, 77])
    #expect(try pixel(Transforms.Invert(amount: 0.5), [0, 100, 255, 77]) == [128, 128, 128, 77])
    #expect(try pixel(Transforms.Invert(amount: 0.25), [0, 100, 255, 255]) == [64, 114, 191, 255])
  }

  @Test func opacityMultipliesAlpha() throws {
    let source = try Bitmap.row([[1, 2, 3, 255], [4, 5, 6, 100]], opaque: false)
    #expect(Pictures.bytes(try Transforms.Opacity(0.5).apply(to: source)) == [1, 2, 3, 128, 4, 5, 6, 50])
    let opaque = try Pictures.noise(4, 4)
    #expect(try Transforms.Opacity(0.5).apply(to: opaque).isOpaque == false)
    #expect(try Transforms.Brightness(0.5).apply(to: opaque).isOpaque)
  }

  @Test func grayscaleIsBT709() throws {
    // 0.2126 · 255 = 54.2, 0.7152 · 255 = 182.4, 0.0722 · 255 = 18.4
    let source = try Bitmap.row([[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 128]])
    #expect(
      Pictures.bytes(try Transforms.Grayscale().apply(to: source)) == [
        54, 54, 54, 255, 182, 182, 182, 255, 18, 18, 18, 128,
      ])
    for grey in 0...255 as ClosedRange<UInt8> {
      let value = [grey, grey, grey, 255]
      #expect(try pixel(Transforms.Grayscale(), value) == value)
      #expect(try pixel(Transforms.Saturation(0), value) == value)
      #expect(try pixel(Transforms.Saturation(3), value) == value)
      #expect(try pixel(Transforms.HueRotation(degrees: 77), value) == value)
    }
    // Half of the way: (255 + 54.213) / 2 = 154.6 and 54.213 / 2 = 27.1.
    #expect(try pixel(Transforms.Grayscale(amount: 0.5), [255, 0, 0, 255]) == [155, 27, 27, 255])
  }

  @Test func sepiaIsTheMatrixOfTheStandard() throws {
    #expect(try pixel(Transforms.Sepia(), [100, 150, 200, 255]) == [192, 171, 134, 255])
    #expect(try pixel(Transforms.Sepia(), [255, 255, 255, 200]) == [255, 255, 239, 200])
  }

  @Test func saturationAndHueMatchTheStandard() throws {
    // 0.213 · 255 = 54.3
    #expect(try pixel(Transforms.Saturation(0), [255, 0, 0, 255]) == [54, 54, 54, 255])
    // 0.213 + 0.787 · 0.5 = 0.6065, 0.213 · 0.5 = 0.1065
    #expect(try pixel(Transforms.Saturation(0.5), [255, 0, 0, 255]) == [155, 27, 27, 255])
    // At 180 degrees: 0.213 - 0.787 = -0.574, 0.213 · 2 = 0.426.
    #expect(try pixel(Transforms.HueRotation(degrees: 180), [200, 0, 0, 255]) == [0, 85, 85, 255])
    // At 90 degrees: 0, 0.213 + 0.143 = 0.356, 0.213 - 0.787 = -0.574 of red.
    #expect(try pixel(Transforms.HueRotation(degrees: 90), [200, 0, 0, 255]) == [0, 71, 0, 255])
    #expect(
      try pixel(Transforms.HueRotation(degrees: 450), [200, 10, 77, 255])
        == pixel(Transforms.HueRotation(degrees: 90), [200, 10, 77, 255]))
  }

  @Test func matrixExchangesChannels() throws {
    let exchange = Transforms.ColorMatrix([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0.2, 0, 0, 0, 0.5, 0])
    #expect(try pixel(exchange, [10, 20, 30, 200]) == [30, 10, 71, 100])
    // Alpha from colour: what is hidden below transparent pixels must not show.
    let reveal = Transforms.ColorMatrix([1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0.2])
    #expect(try pixel(reveal, [200, 99, 98, 0]) == [0, 0, 0, 51])
    #expect(try pixel(reveal, [200, 99, 98, 1]) == [200, 99, 98, 251])
  }

  @Test func matricesAgreeWithDoubles() throws {
    var generator = Pictures.SplitMix(state: 5)
    for length in [1, 2, 7, 8, 9, 513, 2049] {
      let source = try Pictures.noise(length, 3, opaque: false, seed: UInt64(length))
      let values = (0..<20).map { _ in Double.random(in: -1.5...1.5, using: &generator) }
      let result = Pictures.bytes(try Transforms.ColorMatrix(values).apply(to: source))
      let bytes = Pictures.bytes(source)
      for first in stride(from: 0, to: bytes.count, by: 4) {
        let isHidden = bytes[first + 3] == 0
        for row in 0..<4 {
          var sum = values[row * 5 + 4] * 255
          for channel in 0..<4 where !isHidden {
            sum += values[row * 5 + channel] * Double(bytes[first + channel])
          }
          let expected = min(max(sum, 0), 255)
          guard abs(Double(result[first + row]) - expected) > 0.501 else { continue }
          Issue.record("\(result[first + row]) instead of \(expected)")
          return
        }
      }
    }
  }

  @Test(arguments: [
    ImageTransform.grayscale(amount: 0), .sepia(amount: 0), .brightness(0), .contrast(1), .saturation(1),
    .hueRotation(degrees: 0), .hueRotation(degrees: -720), .gamma(1), .invert(amount: 0), .opacity(1),
    .colorMatrix(Transforms.ColorMatrix.identity.values), .tint(.clear, mode: .sourceOver),
    .tint(.white, mode: .destinationIn),
  ])
  func whatChangesNothingReturnsTheBitmap(step: ImageTransform) throws {
    let source = try Pictures.noise(5, 4, opaque: false)
    #expect(RasterSteps.isSame(try step.step.apply(to: source), source))
  }

  @Test func everyStepHasItsSpelling() throws {
    try StepSpelling.expectRoundTrip(
      Transforms.Grayscale(amount: 0.5), "grayscale:0.5", Transforms.Grayscale.init)
    try StepSpelling.expectRoundTrip(Transforms.Sepia(), "sepia:1", Transforms.Sepia.init)
    try StepSpelling.expectRoundTrip(
      Transforms.Brightness(-0.25), "brightness:-0.25", Transforms.Brightness.init)
    try StepSpelling.expectRoundTrip(Transforms.Brightness(-0.0), "brightness:0", Transforms.Brightness.init)
    try StepSpelling.expectRoundTrip(Transforms.Contrast(1.1), "contrast:1.1", Transforms.Contrast.init)
    try StepSpelling.expectRoundTrip(Transforms.Saturation(2), "saturation:2", Transforms.Saturation.init)
    try StepSpelling.expectRoundTrip(
      Transforms.HueRotation(degrees: -90), "hue:-90", Transforms.HueRotation.init)
    try StepSpelling.expectRoundTrip(
      Transforms.Gamma(0.45454545454545453), "gamma:0.45454545454545453", Transforms.Gamma.init)
    try StepSpelling.expectRoundTrip(Transforms.Invert(), "invert:1", Transforms.Invert.init)
    try StepSpelling.expectRoundTrip(Transforms.Opacity(0.3), "opacity:0.3", Transforms.Opacity.init)
    try StepSpelling.expectRoundTrip(
      Transforms.ColorMatrix.identity, "matrix:1,0,0,0,0,0,1,0,0,0,0,0,1,0,0,0,0,0,1,0",
      Transforms.ColorMatrix.init)
    #expect(try RasterSteps.parsed("grayscale", Transforms.Grayscale.init) == Transforms.Grayscale())
    #expect(
      try RasterSteps.parsed("invert:amount=0.5", Transforms.Invert.init) == Transforms.Invert(amount: 0.5))
  }

  @Test func nonsenseIsRefused() throws {
    for number in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
      try StepSpelling.expectRefused(Transforms.Grayscale(amount: number), name: "grayscale")
      try StepSpelling.expectRefused(Transforms.Sepia(amount: number), name: "sepia")
      try StepSpelling.expectRefused(Transforms.Brightness(number), name: "brightness")
      try StepSpelling.expectRefused(Transforms.Contrast(number), name: "contrast")
      try StepSpelling.expectRefused(Transforms.Saturation(number), name: "saturation")
      try StepSpelling.expectRefused(Transforms.HueRotation(degrees: number), name: "hue")
      try StepSpelling.expectRefused(Transforms.Gamma(number), name: "gamma")
      try StepSpelling.expectRefused(Transforms.Invert(amount: number), name: "invert")
      try StepSpelling.expectRefused(Transforms.Opacity(number), name: "opacity")
      var matrix = Transforms.ColorMatrix.identity
      matrix.values[7] = number
      try StepSpelling.expectRefused(matrix, name: "matrix")
    }
    for count in [0, 19, 21] {
      try StepSpelling.expectRefused(
        Transforms.ColorMatrix(Array(repeating: 0, count: count)), name: "matrix")
    }
    try StepSpelling.expectRefused(Transforms.Gamma(0), name: "gamma")
    try StepSpelling.expectRefused(Transforms.Contrast(-1), name: "contrast")
    StepSpelling.expectRefused(
      ["gamma", "gamma:0", "gamma:x", "gamma:1,2"], name: "gamma", Transforms.Gamma.init)
    StepSpelling.expectRefused(["sepia:2", "sepia:1,1", "sepia:a=1"], name: "sepia", Transforms.Sepia.init)
    StepSpelling.expectRefused(["hue", "hue:nan"], name: "hue", Transforms.HueRotation.init)
    StepSpelling.expectRefused(["matrix:1,2,3", "matrix"], name: "matrix", Transforms.ColorMatrix.init)
    let grey = try Bitmap(size: PixelSize(width: 2, height: 2), format: .gray8) { bytes in
      for index in bytes.indices { bytes[index] = 7 }
      return true
    }
    #expect(
      try Transforms.Sepia().apply(to: grey) == Transforms.Sepia().apply(to: grey.converted(to: .rgba8)))
  }
}
