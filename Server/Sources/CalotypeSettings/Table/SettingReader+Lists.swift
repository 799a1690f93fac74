import CalotypeURLs

extension SettingReader {
  private func separator(_ separator: SettingKind.Separator) -> String {
    switch separator {
    case .comma: ","
    case .semicolon: ";"
    case .presets: settings.presets.separator
    case .headers: settings.server.headersSeparator
    }
  }

  /// The trimmed items of a list.
  private func parts(
    _ input: SettingInput, _ separator: SettingKind.Separator = .comma, keepingEmpty: Bool = false
  ) throws(SettingFault) -> [String] {
    let mark = self.separator(separator)
    guard (1...16).contains(mark.utf8.count) else {
      throw SettingFault("the separator has 1 to 16 bytes", remedy: "shorten it")
    }
    let parts: [String]
    switch input {
    case .text(let text):
      parts =
        SettingText.trimmed(text).isEmpty
        ? [] : SettingText.split(text, by: mark).map(SettingText.trimmed)
    case .items(let items): parts = items.map(SettingText.trimmed)
    case .pairs(let pairs): parts = pairs.map { "\($0.name)=\($0.value)" }
    }
    guard parts.count <= Self.maxItems else {
      throw SettingFault("a list has at most \(Self.maxItems) items", remedy: "give fewer")
    }
    return keepingEmpty ? parts : parts.filter { !$0.isEmpty }
  }

  func items(
    _ input: SettingInput, _ separator: SettingKind.Separator, _ item: SettingKind.Item
  ) throws(SettingFault) -> [String] {
    let parts = try parts(input, separator)
    for (index, part) in parts.enumerated() {
      switch item {
      case .text: break
      case .token:
        guard Self.isToken(part) else {
          throw SettingFault(
            "item \(index + 1) is a name of letters, digits and hyphens", remedy: "write such names")
        }
      case .origin:
        let isOrigin = part == "*" || part.contains("://") && !part.hasSuffix("/") && !part.contains(" ")
        guard isOrigin else {
          throw SettingFault(
            "item \(index + 1) is an origin", remedy: "write https://example.com without a slash behind, or *"
          )
        }
      case .definition:
        guard part.utf8.count(where: { $0 == UInt8(ascii: "=") }) == 1, part.first != "=", part.last != "="
        else {
          throw SettingFault(
            "item \(index + 1) is a definition with one equals sign", remedy: "write name=option/option")
        }
      }
    }
    return parts
  }

  func pairs(
    _ input: SettingInput, _ separator: SettingKind.Separator
  ) throws(SettingFault) -> [SettingPair] {
    if case .pairs(let pairs) = input { return pairs }
    var pairs: [SettingPair] = []
    for (index, part) in try parts(input, separator).enumerated() {
      guard let mark = part.firstIndex(of: "="), mark > part.startIndex else {
        throw SettingFault(
          "item \(index + 1) is a name, an equals sign and a value", remedy: "write name=value")
      }
      pairs.append(
        SettingPair(
          SettingText.trimmed(part[..<mark]), SettingText.trimmed(part[part.index(after: mark)...])))
    }
    return pairs
  }

  func headers(_ input: SettingInput) throws(SettingFault) -> [SettingPair] {
    let pairs = try pairs(input, .headers)
    for (index, pair) in pairs.enumerated() where !Self.isToken(pair.name) {
      throw SettingFault(
        "item \(index + 1) has the name of a header", remedy: "write name=value, the name without spaces")
    }
    return pairs
  }

  func formats(_ input: SettingInput) throws(SettingFault) -> [RequestedFormat] {
    var formats: [RequestedFormat] = []
    for part in try parts(input) { formats.append(try format(part)) }
    return formats
  }

  func qualities(_ input: SettingInput) throws(SettingFault) -> [RequestedFormat: Int] {
    var qualities: [RequestedFormat: Int] = [:]
    for pair in try pairs(input, .comma) {
      guard let quality = SettingText.integer(pair.value), (0...100).contains(quality) else {
        throw SettingFault("a quality is a whole number, 0 to 100", remedy: "write webp=79,avif=63")
      }
      qualities[try format(pair.name)] = quality
    }
    return qualities
  }

  private func format(_ name: String) throws(SettingFault) -> RequestedFormat {
    guard let format = RequestedFormat(name: name.lowercased()), format != .best else {
      let names = RequestedFormat.allCases.filter { $0 != .best }.map(\.name)
      throw SettingFault(
        "a format is one of \(names.joined(separator: ", "))",
        remedy: "write \(Self.nearest(name.lowercased(), names) ?? "one of them")")
    }
    return format
  }

  func bytes(_ input: SettingInput, _ lengths: [Int]) throws(SettingFault) -> [[UInt8]] {
    var list: [[UInt8]] = []
    for (index, part) in try parts(input).enumerated() {
      guard let bytes = SettingText.hexadecimal(part), !bytes.isEmpty else {
        throw SettingFault(
          "item \(index + 1) is an even number of hexadecimal digits",
          remedy: "make one with openssl rand -hex 32")
      }
      guard lengths.isEmpty || lengths.contains(bytes.count) else {
        throw SettingFault(
          "item \(index + 1) has \(bytes.count) bytes instead of "
            + lengths.map(String.init).joined(separator: ", "), remedy: "make one with openssl rand -hex 32")
      }
      list.append(bytes)
    }
    return list
  }

  func times(_ input: SettingInput) throws(SettingFault) -> [Int64?] {
    var times: [Int64?] = []
    for part in try parts(input, keepingEmpty: true) { times.append(part.isEmpty ? nil : try time(part)) }
    return times
  }

  func networks(_ input: SettingInput) throws(SettingFault) -> [NetworkRange] {
    var networks: [NetworkRange] = []
    for (index, part) in try parts(input).enumerated() {
      guard let network = NetworkRange(part) else {
        throw SettingFault(
          "item \(index + 1) is a range of addresses", remedy: "write 10.0.0.0/8 or 2001:db8::/32")
      }
      networks.append(network)
    }
    return networks
  }

  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }
}
