extension PixelSize {
  /// The most pixels that a step makes of a picture.
  static let largestResult = 400_000_000

  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` when a picture of this size is not made by the step
  ///   `name`.
  func checkResult(of name: String) throws(ImagingError) {
    guard width > 0, height > 0 else {
      throw .invalidParameter(name: name, reason: "a picture of \(self) has no pixels")
    }
    guard width <= Int(Int32.max), height <= Int(Int32.max), pixelCount <= Self.largestResult else {
      throw .invalidParameter(
        name: name, reason: "the result would have \(self) pixels; \(Self.largestResult) in all are allowed")
    }
  }

  /// Reads `300x200`.
  init?(spelling text: String) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]) else { return nil }
    self.init(width: width, height: height)
  }

  /// `300x200`.
  var spelling: String { "\(width)x\(height)" }
}

extension Double {
  /// The shortest text that reads back as the same number; whole numbers without a point.
  var spelling: String { self == rounded() && abs(self) < 1e15 ? String(Int(self)) : String(self) }

  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` unless the number is within `range`, which NaN is not.
  func require(
    in range: ClosedRange<Double>, _ what: String, of step: String
  ) throws(ImagingError) {
    guard range.contains(self) else {
      throw .invalidParameter(
        name: step,
        reason:
          "\(what) is \(range.lowerBound.spelling) to \(range.upperBound.spelling), not \(spelling)"
      )
    }
  }
}

/// The one number of a step: its names, what it may be, and what it is when it is left out.
struct StepNumber: Sendable {
  let step: String
  let name: String
  let range: ClosedRange<Double>
  /// `nil` when it must not be left out.
  var standard: Double?

  /// Reads the arguments of the step.
  func read(_ arguments: inout TransformArguments) throws(ImagingError) -> Double {
    let given = try arguments.number(name) ?? standard
    let number = try arguments.required(given, name)
    try arguments.finish()
    return try checked(number)
  }

  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` when the number is out of its range.
  func checked(_ number: Double) throws(ImagingError) -> Double {
    try number.require(in: range, name, of: step)
    return number
  }

  /// The identity of the step: `blur:2.5`.
  func identity(_ number: Double) -> String { "\(step):\(number.spelling)" }
}

extension TransformArguments {
  /// `true` or `false`.
  mutating func flag(_ key: String) throws(ImagingError) -> Bool? {
    try value(key, "true or false") { Bool($0) }
  }

  /// An argument that is never given by place.
  mutating func named<Value>(
    _ key: String, _ what: String, _ parse: (String) -> Value?
  ) throws(ImagingError) -> Value? {
    guard let text = option(key) else { return nil }
    guard let value = parse(text) else { throw error("\(key) is \(what), not '\(text)'") }
    return value
  }

  /// An anchor.
  mutating func anchor(_ key: String) throws(ImagingError) -> Anchor? {
    try value(key, "center, top, topLeft and so on, focus(x;y), entropy or attention") { Anchor($0) }
  }
}
