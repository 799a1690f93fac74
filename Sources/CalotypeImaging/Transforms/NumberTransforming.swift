/// A step with one number as its parameter, with common parsing, validation and identity.
protocol NumberTransforming: ImageTransforming {
  /// The names of the step and of its number, and the range of the number.
  static var parameter: StepNumber { get }

  /// The number.
  var number: Double { get }

  init(number: Double)
}

extension NumberTransforming {
  init(_ arguments: inout TransformArguments) throws(ImagingError) {
    self.init(number: try Self.parameter.read(&arguments))
  }

  /// The name of the step and its number: `blur:2.5`.
  public var identity: String { Self.parameter.identity(number) }
}
