import Testing

@testable import CalotypeImaging

/// What holds for the spelling of every step.
enum StepSpelling {
  /// Whether the identity of a step is what reads back as the same step.
  static func expectRoundTrip<Step: ImageTransforming & Equatable>(
    _ step: Step, _ identity: String, _ parse: RasterSteps.Parser<Step>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(step.identity == identity, sourceLocation: sourceLocation)
    let back = try RasterSteps.parsed(identity, parse)
    #expect(back == step, sourceLocation: sourceLocation)
    #expect(back.identity == identity, sourceLocation: sourceLocation)
    #expect(ImageTransform(back) == ImageTransform(step), sourceLocation: sourceLocation)
  }

  /// Whether texts are refused, each as an invalid parameter of this name.
  static func expectRefused<Step>(
    _ texts: [String], name: String, _ parse: RasterSteps.Parser<Step>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for text in texts {
      #expect(
        RasterSteps.invalid { try RasterSteps.parsed(text, parse) } == name, "\(text)",
        sourceLocation: sourceLocation)
    }
  }

  /// Whether a step with these parameters is refused before anything is done.
  static func expectRefused(
    _ step: some ImageTransforming, name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let picture = try ResamplePictures.noise(3, 2)
    #expect(
      RasterSteps.invalid { try step.apply(to: picture) } == name, "\(step)",
      sourceLocation: sourceLocation)
  }
}

extension Bitmap {
  /// A bitmap of one row.
  static func row(_ pixels: [[UInt8]], opaque: Bool = false) throws -> Bitmap {
    try ResamplePictures.make(pixels.count, 1, opaque: opaque) { x, _ in pixels[x] }
  }
}
