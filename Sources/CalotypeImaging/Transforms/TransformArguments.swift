/// The arguments of a transform in text form: `300x200,mode=fill`. Positional arguments come first, and each may be
/// named instead. `\\,` and `\\=` are literal characters.
///
/// Every argument has to be consumed: ``finish()`` refuses those that are left.
struct TransformArguments {
  /// The name of the transform.
  let name: String
  private var positional: [String] = []
  private var named: [String: String] = [:]
  /// A key with both a positional and a named argument.
  private var givenTwice: String?

  /// Parses `name` or `name:arguments`.
  init(_ text: String) throws(ImagingError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(parts[0])
    guard parts.count == 2 else { return }
    for argument in Self.arguments(parts[1]) {
      guard let key = argument.key else {
        guard named.isEmpty else { throw error("'\(argument.value)' comes after arguments with names") }
        positional.append(argument.value)
        continue
      }
      guard named.updateValue(argument.value, forKey: key) == nil else {
        throw error("'\(key)' is given twice")
      }
    }
    positional.reverse()
  }

  /// Splits the text at commas. A backslash escapes the comma or equals sign behind it.
  private static func arguments(_ text: Substring) -> [(key: String?, value: String)] {
    var arguments: [(key: String?, value: String)] = [(nil, "")]
    var isPlain = false
    for character in text {
      let last = arguments.count - 1
      if isPlain {
        arguments[last].value.append(character)
        isPlain = false
      } else if character == "\\" {
        isPlain = true
      } else if character == "," {
        arguments.append((nil, ""))
      } else if character == "=", arguments[last].key == nil {
        arguments[last] = (arguments[last].value, "")
      } else {
        arguments[last].value.append(character)
      }
    }
    return arguments
  }

  /// Returns an error of this transform.
  func error(_ reason: String) -> ImagingError { .invalidParameter(name: name, reason: reason) }

  /// Returns the next positional argument, or the one of this name; `nil` if there is neither.
  mutating func text(_ key: String) -> String? {
    let value = named.removeValue(forKey: key)
    guard let value else { return positional.popLast() }
    // A positional argument would belong to this key as well.
    if positional.popLast() != nil { givenTwice = givenTwice ?? key }
    return value
  }

  /// Returns the argument of this name; never a positional one.
  mutating func option(_ key: String) -> String? { named.removeValue(forKey: key) }

  /// Parses an argument of a type that can be read from text, such as `Int`, `Double` or an enumeration's raw value.
  mutating func value<Value>(
    _ key: String, _ what: String, _ parse: (String) -> Value?
  ) throws(ImagingError) -> Value? {
    guard let text = text(key) else { return nil }
    guard let value = parse(text) else { throw error("\(key) is \(what), not '\(text)'") }
    return value
  }

  /// Parses a finite number.
  mutating func number(_ key: String) throws(ImagingError) -> Double? {
    try value(key, "a number") { Double($0).flatMap { $0.isFinite ? $0 : nil } }
  }

  /// Parses a whole number.
  mutating func integer(_ key: String) throws(ImagingError) -> Int? {
    try value(key, "a whole number") { Int($0) }
  }

  /// Parses a colour.
  mutating func color(_ key: String) throws(ImagingError) -> PixelColor? {
    try value(key, "a colour such as ff8000, ff800080 or white") { PixelColor($0) }
  }

  /// Parses a case of an enumeration.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String, as: Choice.Type = Choice.self
  ) throws(ImagingError) -> Choice? where Choice.RawValue == String {
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    return try value(key, "one of \(names)") { Choice(rawValue: $0) }
  }

  /// Returns the value of a required argument.
  func required<Value>(_ value: Value?, _ key: String) throws(ImagingError) -> Value {
    guard let value else { throw error("\(key) is missing") }
    return value
  }

  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` if an argument is left.
  func finish() throws(ImagingError) {
    if let givenTwice { throw error("'\(givenTwice)' is given twice") }
    if let rest = positional.last { throw error("'\(rest)' is one argument too many") }
    if let key = named.keys.min() { throw error("there is no argument '\(key)'") }
  }
}
