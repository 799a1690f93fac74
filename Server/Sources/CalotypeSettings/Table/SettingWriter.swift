import CalotypeURLs

/// Writes values so that ``SettingReader`` reads them as the same values.
struct SettingWriter {
  /// Settings that have the separators.
  let settings: Settings

  init(_ settings: Settings) { self.settings = settings }

  /// The text of a value.
  func write(_ value: SettingValue, _ kind: SettingKind) -> String {
    switch value {
    case .flag(let flag): return flag ? "true" : "false"
    case .integer(let number):
      switch kind {
      case .megapixels: return Self.megapixels(number)
      case .byteCount: return Self.bytes(number)
      default: return String(number)
      }
    case .real(let number): return SettingText.write(number)
    case .duration(let duration):
      let (seconds, attoseconds) = duration.components
      let rest = attoseconds / 1_000_000_000_000_000
      return rest == 0 ? String(seconds) : "\(seconds * 1000 + rest)ms"
    case .text(let text): return text
    case .list(let list):
      guard case .list(let separator, _) = kind else { return list.joined(separator: ",") }
      return list.joined(separator: self.separator(separator))
    case .pairs(let pairs):
      let separator: SettingKind.Separator =
        if case .pairs(let separator) = kind { separator } else { .headers }
      return pairs.map { "\($0.name)=\($0.value)" }.joined(separator: self.separator(separator))
    case .formats(let formats): return formats.map(\.name).joined(separator: ",")
    case .qualities(let qualities):
      return qualities.sorted { $0.key < $1.key }.map { "\($0.key.name)=\($0.value)" }.joined(separator: ",")
    case .bytes(let list): return list.map(Self.hexadecimal).joined(separator: ",")
    case .time(let time): return time.map(Timestamp.write) ?? ""
    case .times(let times): return times.map { $0.map(Timestamp.write) ?? "" }.joined(separator: ",")
    case .address(let address): return address?.description ?? ""
    case .networks(let networks): return networks.map(\.description).joined(separator: ",")
    case .lines(let file): return file.path
    }
  }

  private func separator(_ separator: SettingKind.Separator) -> String {
    switch separator {
    case .comma: ","
    case .semicolon: ";"
    case .presets: settings.presets.separator
    case .headers: settings.server.headersSeparator
    }
  }

  private static func bytes(_ number: Int) -> String {
    for (unit, shift) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]
    where number > 0 && number & (1 << shift - 1) == 0 {
      return "\(number >> shift)\(unit)"
    }
    return String(number)
  }

  private static func megapixels(_ number: Int) -> String {
    let rest = number % 1_000_000
    guard rest != 0 else { return String(number / 1_000_000) }
    var digits = String(1_000_000 + rest).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(number / 1_000_000).\(digits)"
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
