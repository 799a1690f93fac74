extension OptionRow {
  typealias Path<Value> = any WritableKeyPath<Target, Value> & Sendable

  private func withDefault<Value: Equatable & Sendable>(
    _ path: Path<Value?>, _ value: Value?
  ) -> OptionRow {
    guard let value else { return self }
    return normalizing { target in if target[keyPath: path] == value { target[keyPath: path] = nil } }
  }

  /// An integer.
  static func integer(
    _ names: String..., at path: Path<Int?>, in range: ClosedRange<Int>, default value: Int? = nil
  ) -> OptionRow {
    OptionRow(names: names) { (arguments, target) throws(ImageURLError) in
      try arguments.limit(1)
      target[keyPath: path] = try arguments.integer(0, in: range)
    } write: { target, arguments in
      if let value = target[keyPath: path] { arguments.integer(value, in: range) }
    }.withDefault(path, value).of(.integer(range))
  }

  /// A number.
  static func real(
    _ names: String..., at path: Path<Double?>, in range: RealRange, default value: Double? = nil
  ) -> OptionRow {
    OptionRow(names: names) { (arguments, target) throws(ImageURLError) in
      try arguments.limit(1)
      target[keyPath: path] = try arguments.real(0, in: range)
    } write: { target, arguments in
      if let value = target[keyPath: path] { arguments.real(value, in: range) }
    }.withDefault(path, value).of(.real)
  }

  /// A Boolean value.
  static func flag(_ names: String..., at path: Path<Bool?>, default value: Bool? = nil) -> OptionRow {
    OptionRow(names: names) { (arguments, target) throws(ImageURLError) in
      try arguments.limit(1)
      target[keyPath: path] = arguments.flag(0)
    } write: { target, arguments in
      if let value = target[keyPath: path] { arguments.flag(value) }
    }.withDefault(path, value).of(.flag)
  }

  /// One of several names.
  static func choice<Choice>(
    _ names: String..., at path: Path<Choice?>, default value: Choice? = nil
  ) -> OptionRow where Choice: RawRepresentable<String> & CaseIterable & Equatable & Sendable {
    OptionRow(names: names) { (arguments, target) throws(ImageURLError) in
      try arguments.limit(1)
      target[keyPath: path] = try arguments.choice(0, Choice.self)
    } write: { target, arguments in
      if let value = target[keyPath: path] { arguments.choice(value) }
    }.withDefault(path, value).of(.choice(Choice.allCases.map(\.rawValue)))
  }

  /// Text in base64; empty text is as if not given.
  static func base64(_ names: String..., at path: Path<String?>) -> OptionRow {
    OptionRow(names: names) { (arguments, target) throws(ImageURLError) in
      try arguments.limit(1)
      target[keyPath: path] = try arguments.base64(0)
    } write: { target, arguments in
      if let value = target[keyPath: path] { arguments.base64(value) }
    }.withDefault(path, "").of(.base64)
  }

  /// An option that sets several others, which are written on their own.
  static func bundle(_ names: String..., read: @escaping Reading) -> OptionRow {
    OptionRow(names: names, read: read) { _, _ in }
  }
}
