/// The arguments of one option in a URL.
struct OptionArguments {
  /// The arguments, at least one, each of which may be empty.
  private(set) var values: ArraySlice<ArraySlice<UInt8>>
  /// Name of the option as it is written.
  let name: String
  let place: ImageURLError.Place
  /// Whether values of imgproxy Pro are known.
  let isPro: Bool
  /// Texts that were read, but hardly as they were meant.
  var notices: [ImageURLNotice] = []

  init(_ values: ArraySlice<ArraySlice<UInt8>>, of name: String, at place: ImageURLError.Place, isPro: Bool) {
    self.values = values
    self.isPro = isPro
    self.name = name
    self.place = place
  }

  var count: Int { values.count }

  /// Whether there is an argument that is not empty.
  func has(_ index: Int) -> Bool { index < count && !self[index].isEmpty }

  /// An argument; empty if it is not there.
  subscript(index: Int) -> ArraySlice<UInt8> {
    index < count ? values[values.startIndex + index] : []
  }

  /// The text of an argument, which is UTF-8 because the whole URL is.
  func text(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }

  /// Reads the arguments from one on as those of an option within this one.
  mutating func nested<Result>(
    from index: Int, _ read: (inout OptionArguments) throws(ImageURLError) -> Result
  ) throws(ImageURLError) -> Result {
    let all = values
    values = values.dropFirst(index)
    defer { values = all }
    return try read(&self)
  }

  /// Refuses more arguments than an option has.
  func limit(_ count: Int) throws(ImageURLError) {
    guard self.count <= count else {
      throw ImageURLError(
        .argumentCount, at: place, "\(name) has \(self.count) arguments",
        remedy: "give at most \(count)")
    }
  }

  /// The error of an argument that is not as `expected`.
  func invalid(_ index: Int, expected: String) -> ImageURLError {
    let text = index < count ? "\"\(String(text(index).prefix(32)))\"" : "nothing"
    return ImageURLError(
      .invalidArgument, at: place, "argument \(index + 1) of \(name) is \(text)", remedy: "give \(expected)")
  }

  func integer(_ index: Int, in range: ClosedRange<Int>) throws(ImageURLError) -> Int {
    guard let value = NumberText.integer(self[index]), range.contains(value) else {
      let bound =
        range.upperBound == .max ? "from \(range.lowerBound)" : "in \(range.lowerBound)…\(range.upperBound)"
      throw invalid(index, expected: range.lowerBound == .min ? "an integer" : "an integer \(bound)")
    }
    return value
  }

  func real(_ index: Int, in range: RealRange) throws(ImageURLError) -> Double {
    guard let value = NumberText.real(self[index]), range.contains(value) else {
      throw invalid(index, expected: range.expectation)
    }
    return value
  }

  /// A Boolean value as Go's `ParseBool` reads it. Any other text is false, and noticed.
  mutating func flag(_ index: Int) -> Bool {
    switch text(index) {
    case "1", "t", "T", "TRUE", "true", "True": return true
    case "0", "f", "F", "FALSE", "false", "False": return false
    default:
      notices.append(ImageURLNotice(.notBoolean, at: place))
      return false
    }
  }

  func color(_ index: Int) throws(ImageURLError) -> RGBColor {
    guard let color = RGBColor(hex: text(index)) else {
      throw invalid(index, expected: "3 or 6 hexadecimal digits without #")
    }
    return color
  }

  func choice<Choice>(_ index: Int, _ type: Choice.Type = Choice.self) throws(ImageURLError) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    guard let choice = Choice(rawValue: text(index)) else {
      throw invalid(index, expected: "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  /// A format, not ``RequestedFormat/best``.
  func format(_ index: Int) throws(ImageURLError) -> RequestedFormat {
    guard let format = RequestedFormat(name: text(index)), format != .best else {
      throw unknownFormat(index)
    }
    return format
  }

  func unknownFormat(_ index: Int) -> ImageURLError {
    ImageURLError(
      .unknownFormat, at: place, "argument \(index + 1) of \(name) is no format",
      remedy: "give one of " + RequestedFormat.allCases.map(\.rawValue).joined(separator: ", "))
  }

  /// Text as it stands in the URL.
  func plain(_ index: Int) throws(ImageURLError) -> String {
    let text = text(index)
    guard SafeText.isSegment(text) else { throw invalid(index, expected: "printable ASCII") }
    return text
  }

  /// Text in URL-safe base64, with or without padding.
  func base64(_ index: Int) throws(ImageURLError) -> String {
    guard let bytes = Base64URL.decodeLeniently(self[index]),
      let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0)
    else { throw invalid(index, expected: "UTF-8 in URL-safe base64") }
    return text
  }

  /// Percent-encoded text.
  func percentEncoded(_ index: Int) throws(ImageURLError) -> String {
    guard let bytes = PercentEncoding.decode(self[index]), let text = SafeText.validated(bytes) else {
      throw invalid(index, expected: "percent-encoded UTF-8")
    }
    return text
  }
}
