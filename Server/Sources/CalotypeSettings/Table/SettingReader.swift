import CalotypeURLs

/// Reads values as the rows of the table demand.
///
/// The rules are those of imgproxy; durations and numbers of bytes may have units, too.
struct SettingReader {
  /// Most items of a list.
  static let maxItems = 4096
  /// Most bytes of a value.
  static let maxBytes = 1 << 20

  /// Settings that have the separators already.
  let settings: Settings
  /// Reads the lines of a file at a path.
  let lines: (String) throws(SettingFault) -> LineFile

  /// The value of an input.
  func read(_ input: SettingInput, _ kind: SettingKind) throws(SettingFault) -> SettingValue {
    guard input.text.utf8.count <= Self.maxBytes else {
      throw SettingFault("a value has at most 1 MiB", remedy: "shorten it")
    }
    guard !SettingText.hasControls(input.text, multiline: kind == .lines || kind == .base64) else {
      throw SettingFault("a value has no control characters", remedy: "remove them")
    }
    switch kind {
    case .list(let separator, let item): return .list(try items(input, separator, item))
    case .pairs(let separator): return .pairs(try pairs(input, separator))
    case .headers: return .pairs(try headers(input))
    case .formats: return .formats(try formats(input))
    case .qualities: return .qualities(try qualities(input))
    case .hexadecimal(let lengths): return .bytes(try bytes(input, lengths))
    case .times: return .times(try times(input))
    case .networks: return .networks(try networks(input))
    default:
      guard case .text(let text) = input else {
        throw SettingFault("the setting has one value", remedy: "give a single value: \(kind.summary)")
      }
      return try single(text, kind)
    }
  }

  private func single(_ text: String, _ kind: SettingKind) throws(SettingFault) -> SettingValue {
    switch kind {
    case .integer(let range): return .integer(try integer(text, range))
    case .byteCount: return .integer(try byteCount(text))
    case .real(let range, let excludingZero): return .real(try real(text, range, excludingZero))
    case .megapixels: return .integer(Int((try real(text, 0...1_000_000, false) * 1_000_000).rounded()))
    case .duration: return .duration(try duration(text))
    case .text, .lines, .path: return .text(text)
    case .lineFile: return .lines(text.isEmpty ? .none : try lines(text))
    case .urlPath: return .text(urlPath(text))
    case .url: return .text(try url(text, ["http", "https", "s3", "local", "data"]))
    case .webURL: return .text(try url(text, ["http", "https"]))
    case .base64: return .text(try base64(text))
    case .choice(let names):
      let name = text.lowercased()
      guard names.contains(name) else {
        throw SettingFault(
          "the value is one of \(kind.summary)", remedy: "write \(Self.nearest(name, names) ?? "one of them")"
        )
      }
      return .text(name)
    case .time:
      if text.isEmpty { return .time(nil) }
      return .time(try time(text))
    case .address:
      if text.isEmpty { return .address(nil) }
      guard let address = BindAddress(text) else {
        throw SettingFault(
          "an address is a host, a colon and a port, or the path of a socket",
          remedy: "write 127.0.0.1:8080, [::1]:8080, :8080 or /run/calotype.sock")
      }
      return .address(address)
    default: return .flag(try flag(text))
    }
  }

  static func nearest(_ name: String, _ names: [String]) -> String? {
    NearestName(names).nearest(to: name)
  }
}

// MARK: Single values

extension SettingReader {
  private func flag(_ text: String) throws(SettingFault) -> Bool {
    switch text {
    case "1", "t", "T", "TRUE", "true", "True": return true
    case "0", "f", "F", "FALSE", "false", "False": return false
    default: throw SettingFault("the value is true or false", remedy: "write true, false, 1 or 0")
    }
  }

  private func integer(_ text: String, _ range: ClosedRange<Int>) throws(SettingFault) -> Int {
    guard let number = SettingText.integer(text), range.contains(number) else {
      throw SettingFault(
        "the value is a whole number, \(SettingKind.text(range))", remedy: "write such a number in digits")
    }
    return number
  }

  private func real(
    _ text: String, _ range: ClosedRange<Double>, _ excludingZero: Bool
  ) throws(SettingFault) -> Double {
    guard let number = SettingText.real(text), range.contains(number), !excludingZero || number > 0 else {
      throw SettingFault(
        "the value is a \(SettingKind.real(range, excludingZero: excludingZero).summary)",
        remedy: "write such a number, with a point before the fraction")
    }
    return number
  }

  private func byteCount(_ text: String) throws(SettingFault) -> Int {
    let units: [(name: String, shift: Int)] = [
      ("", 0), ("B", 0), ("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40),
    ]
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = SettingText.trimmed(text.dropFirst(digits.count)).lowercased()
    guard let number = SettingText.integer(digits),
      let shift = units.first(where: { $0.name.lowercased() == unit })?.shift,
      number <= (1 << 50) >> shift
    else {
      throw SettingFault("the value is a number of bytes, at most 1024 TiB", remedy: "write 1048576 or 1MiB")
    }
    return number << shift
  }

  private func duration(_ text: String) throws(SettingFault) -> Duration {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let scale: Int? =
      switch SettingText.trimmed(text.dropFirst(digits.count)) {
      case "ms": 1
      case "", "s": 1000
      case "m": 60_000
      case "h": 3_600_000
      case "d": 86_400_000
      default: nil
      }
    // A hundred years.
    let limit = 100 * 366 * 86_400_000
    guard let number = SettingText.integer(digits), let scale, number <= limit / scale else {
      throw SettingFault(
        "the value is a whole number of seconds, at most a hundred years",
        remedy: "write 30, 30s, 500ms or 7d")
    }
    return .milliseconds(number * scale)
  }

  private func urlPath(_ text: String) -> String {
    var path = text.prefix { $0 != "?" && $0 != "#" }
    while path.last == "/" { path.removeLast() }
    return path.isEmpty || path.first == "/" ? String(path) : "/" + path
  }

  private func url(_ text: String, _ schemes: [String]) throws(SettingFault) -> String {
    if text.isEmpty { return text }
    let known = schemes.joined(separator: ", ")
    guard let colon = text.firstIndex(of: ":"), schemes.contains(text[..<colon].lowercased()),
      text[colon...].hasPrefix("://") || text.hasPrefix("data:"), text.utf8.allSatisfy({ $0 > 0x20 }),
      text[colon...].utf8.count > 3
    else {
      throw SettingFault(
        "the value is an absolute URL of \(known)", remedy: "write \(schemes[0])://host/path without spaces")
    }
    return text
  }

  private func base64(_ text: String) throws(SettingFault) -> String {
    let bytes = text.utf8.filter { !"\r\n\t ".utf8.contains($0) }
    let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    let body = bytes.dropLast(padding)
    let isAlphabet = body.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "+/-_".utf8.contains(byte)
    }
    guard isAlphabet, body.count % 4 != 1, padding <= 2 else {
      throw SettingFault("the value is base64", remedy: "encode the file with base64 -w0")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func time(_ text: String) throws(SettingFault) -> Int64 {
    guard let time = Timestamp.read(text) else {
      throw SettingFault("the value is a time of RFC 3339", remedy: "write 2026-01-31T12:00:00Z")
    }
    return time
  }
}
