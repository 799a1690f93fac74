import Testing

@testable import CalotypeImaging

/// What holds for the spelling of every step.
enum StepSpelling {
  typealias Parse<Step> = (inout TransformArguments) throws(ImagingError) -> Step

  /// Reads a step from its arguments.
  static func read<Step>(_ text: String, _ parse: Parse<Step>) throws(ImagingError) -> Step {
    var arguments = try TransformArguments(text)
    return try parse(&arguments)
  }

  /// Whether the identity of a step is what reads back as the same step.
  static func expectRoundTrip<Step: ImageTransforming & Equatable>(
    _ step: Step, _ identity: String, _ parse: Parse<Step>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(step.identity == identity, sourceLocation: sourceLocation)
    let back = try read(identity, parse)
    #expect(back == step, sourceLocation: sourceLocation)
    #expect(back.identity == identity, sourceLocation: sourceLocation)
    #expect(ImageTransform(back) == ImageTransform(step), sourceLocation: sourceLocation)
  }

  /// Whether texts are refused, each as an invalid parameter of this name.
  static func expectRefused<Step>(
    _ texts: [String], name: String, _ parse: Parse<Step>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for text in texts {
      #expect(
        isInvalid(name) { () throws(ImagingError) in _ = try read(text, parse) }, "\(text)",
        sourceLocation: sourceLocation)
    }
  }

  /// Whether a step with these parameters is refused before anything is done.
  static func expectRefused(
    _ step: some ImageTransforming, name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let picture = try ResamplePictures.noise(3, 2)
    #expect(
      isInvalid(name) { () throws(ImagingError) in _ = try step.apply(to: picture) }, "\(step)",
      sourceLocation: sourceLocation)
  }

  static func isInvalid(_ name: String, _ body: () throws(ImagingError) -> Void) -> Bool {
    do throws(ImagingError) {
      try body()
      return false
    } catch {
      guard case .invalidParameter(let found, let reason) = error else { return false }
      return found == name && !reason.isEmpty
    }
  }

  /// The address of the pixels: the same for copies of a bitmap.
  static func address(_ bitmap: Bitmap) -> UnsafeRawPointer? { bitmap.withUnsafeBytes { $0.baseAddress } }
}

extension Bitmap {
  /// A bitmap of one row.
  static func row(_ pixels: [[UInt8]], opaque: Bool = false) throws -> Bitmap {
    try ResamplePictures.make(pixels.count, 1, opaque: opaque) { x, _ in pixels[x] }
  }
}
