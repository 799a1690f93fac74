import CalotypeServing

/// Kinds of addresses, and the IPv4 addresses within those of IPv6.
enum AddressCases {
  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let words = vector.input.split(separator: " ").map(String.init)
    if words.first == "embedded" {
      guard let text = words.dropFirst().first(where: { $0.contains(":") }), let address = AddressBytes(text)
      else { return .refused("no address") }
      let found = address.embeddedIPv4.map { AddressBytes.text(ofIPv4: $0) } ?? "none"
      return .answer(found, expected: vector.expected.prefix(before: "; ("))
    }
    guard let question = words.first, question.hasSuffix("?"), words.count > 1 else {
      return .refused("no question")
    }
    guard let kind = AddressKind(words[1]) else { return .answer("no address", agrees: false) }
    let asked: AddressKind? =
      switch question {
      case "private?": .private
      case "loopback?": .loopback
      case "link-local?": .linkLocal
      default: nil
      }
    guard let asked else { return .refused("an unknown kind") }
    let expected = vector.expected.hasPrefix("yes") || vector.expected.hasPrefix(asked.rawValue)
    return .answer(kind.rawValue, agrees: (kind == asked) == expected)
  }
}
