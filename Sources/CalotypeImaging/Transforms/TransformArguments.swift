/// The arguments of a transform that is written as text: `300x200,mode=fill`. Positional ones first, each either by
/// place or by name. `\\,` and `\\=` stand for the characters themselves.
///
/// Every argument has to be asked for: an argument that is left over is an error in ``finish()``.
struct TransformArguments {
  /// The name of the transform.
  let name: String
  private var positional: [String] = []
  private var named: [String: String] = [:]
  /// A key that is given by place and by name.
  private var givenTwice: String?

  /// Reads `name` or `name:arguments`.
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

  /// What stands between commas. A backslash takes away the meaning of the comma or equals sign behind it.
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

  /// The error of this transform.
  func error(_ reason: String) -> ImagingError { .invalidParameter(name: name, reason: reason) }

  /// The next argument by place, or the one of this name; `nil` when there is neither.
  mutating func text(_ key: String) -> String? {
    let value = named.removeValue(forKey: key)
    guard let value else { return positional.popLast() }
    // One that is given by place is meant for this key, too.
    if positional.popLast() != nil { givenTwice = givenTwice ?? key }
    return value
  }

  /// The argument of this name; never by place.
  mutating func option(_ key: String) -> String? { named.removeValue(forKey: key) }

  /// An argument of a type that can be read from text, such as `Int`, `Double` or an enumeration's raw value.
  mutating func value<Value>(
    _ key: String, _ what: String, _ parse: (String) -> Value?
  ) throws(ImagingError) -> Value? {
    guard let text = text(key) else { return nil }
    guard let value = parse(text) else { throw error("\(key) is \(what), not '\(text)'") }
    return value
  }

  /// A finite number.
  mutating func number(_ key: String) throws(ImagingError) -> Double? {
    try value(key, "a number") { Double($0).flatMap { $0.isFinite ? $0 : nil } }
  }

  /// A whole number.
  mutating func integer(_ key: String) throws(ImagingError) -> Int? {
    try value(key, "a whole number") { Int($0) }
  }

  /// A colour.
  mutating func color(_ key: String) throws(ImagingError) -> PixelColor? {
    try value(key, "a colour such as ff8000, ff800080 or white") { PixelColor($0) }
  }

  /// One of the cases of an enumeration.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String, as: Choice.Type = Choice.self
  ) throws(ImagingError) -> Choice? where Choice.RawValue == String {
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    return try value(key, "one of \(names)") { Choice(rawValue: $0) }
  }

  /// `required` arguments are asked for through this.
  func required<Value>(_ value: Value?, _ key: String) throws(ImagingError) -> Value {
    guard let value else { throw error("\(key) is missing") }
    return value
  }

  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` when an argument is left over.
  func finish() throws(ImagingError) {
    if let givenTwice { throw error("'\(givenTwice)' is given twice") }
    if let rest = positional.last { throw error("'\(rest)' is one argument too many") }
    if let key = named.keys.min() { throw error("there is no argument '\(key)'") }
  }
}
