/// The number of a step: its names, its range, and its default.
struct StepNumber: Sendable {
  let step: String
  let name: String
  let range: ClosedRange<Double>
  /// The default; `nil` if the number is required.
  var standard: Double?

  /// Parses the arguments of the step.
  func read(_ arguments: inout TransformArguments) throws(ImagingError) -> Double {
    let given = try arguments.number(name) ?? standard
    let number = try arguments.required(given, name)
    try arguments.finish()
    return try checked(number)
  }

  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` if the number is out of its range.
  func checked(_ number: Double) throws(ImagingError) -> Double {
    try number.require(in: range, name, of: step)
    return number
  }

  /// Returns the identity of the step: `blur:2.5`.
  func identity(_ number: Double) -> String { "\(step):\(number.spelling)" }
}

extension TransformArguments {
  /// Parses `true` or `false`.
  mutating func flag(_ key: String) throws(ImagingError) -> Bool? {
    try value(key, "true or false") { Bool($0) }
  }

  /// Parses an argument that is never positional.
  mutating func named<Value>(
    _ key: String, _ what: String, _ parse: (String) -> Value?
  ) throws(ImagingError) -> Value? {
    guard let text = option(key) else { return nil }
    guard let value = parse(text) else { throw error("\(key) is \(what), not '\(text)'") }
    return value
  }

  /// Parses an anchor.
  mutating func anchor(_ key: String) throws(ImagingError) -> Anchor? {
    try value(key, "center, top, topLeft and so on, focus(x;y), entropy or attention") { Anchor($0) }
  }
}
