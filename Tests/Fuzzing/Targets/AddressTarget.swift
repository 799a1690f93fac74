@testable import CalotypeLoading
import Glibc

/// Reads the bytes as hosts, addresses and ranges: what the C library takes for an address that is not public has to be
/// refused, however it is spelled.
enum AddressTarget {
  private static let policy = AddressPolicy.public

  static func run(_ input: FuzzInput) throws {
    let text = String(decoding: input.bytes, as: UTF8.self)
    for text in [text, "[" + text + "]", "127." + text, "::" + text, "0x" + text] { try host(text) }
    try host(spelling(input))
    if let range = IPAddress.Block(text) { try check(range) }
    var numbers = NumberReader(input.bytes)
    let bits = numbers.integer(UInt128.self)
    // Many addresses begin with zeros.
    try address(IPAddress(v6: bits >> UInt128(input.first % 128)), prefixLength: input.second)
    try address(IPAddress(v6: 0xFFFF << 32 | bits >> 96), prefixLength: input.second)
    try address(IPAddress(v4: UInt32(truncatingIfNeeded: bits)), prefixLength: input.second)
  }

  private static func host(_ text: String) throws {
    if let read = IPAddress(text) { try address(read) }
    let refusal = policy.refusal(scheme: "http", host: text)
    try FuzzFailure.unless(refusal?.isEmpty != true, "\(text.debugDescription): refused without a word")
    guard refusal == nil else { return }
    try FuzzFailure.unless(
      text.utf8.allSatisfy { (33...126).contains($0) } && text.utf8.count <= 253 && !text.hasSuffix("."),
      "\(text.debugDescription) is let through")
    for found in numeric(text) {
      let reason = policy.refusal(of: found, host: text)
      try FuzzFailure.unless(reason == nil, "\(text) is let through and is \(found): \(reason ?? "")")
      try FuzzFailure.unless(HostText(text).address == found, "\(text) is let through and read as \(found)")
    }
    for exception in [policy.allowing(host: text), AddressPolicy.any] {
      try FuzzFailure.unless(
        exception.refusal(scheme: "http", host: text) == nil, "\(text) is refused by what allows more")
    }
  }

  /// What the C library makes of a host without asking anyone.
  private static func numeric(_ text: String) -> [IPAddress] {
    var found: [IPAddress] = []
    var v4 = in_addr()
    if inet_aton(text, &v4) != 0 { found.append(IPAddress(v4: UInt32(bigEndian: v4.s_addr))) }
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let bare = text.first == "[" && text.last == "]" ? String(text.dropFirst().dropLast()) : text
    guard getaddrinfo(bare, nil, &hints, &list) == 0 else { return found }
    defer { freeaddrinfo(list) }
    var next = list
    while let entry = next?.pointee {
      if let address = entry.ai_addr.flatMap({ IPAddress($0) }) { found.append(address) }
      next = entry.ai_next
    }
    return found
  }

  /// An IPv4 address in one of the spellings of inet_aton(): one to four numbers, each in one of three bases.
  private static func spelling(_ input: FuzzInput) -> String {
    var numbers = NumberReader(input.bytes)
    let bits = numbers.integer(UInt32.self)
    let count = Int(input.first % 4) + 1
    let bases = input.second
    return (0..<count).map { index in
      // The last number holds all that is left.
      let left = bits << (8 * index)
      let part = index == count - 1 ? left >> (8 * index) : left >> 24
      switch bases >> (2 * index) & 3 {
      case 1: return "0" + String(part, radix: 8)
      case 2: return "0x" + String(part, radix: 16)
      case 3: return "0X000" + String(part, radix: 16, uppercase: true)
      default: return String(part)
      }
    }.joined(separator: ".")
  }

  private static func address(_ address: IPAddress, prefixLength: UInt8 = 0) throws {
    try FuzzFailure.unless(IPAddress(address.description) == address, "\(address) is read as another")
    let literal = policy.refusal(scheme: "http", host: address.description)
    try FuzzFailure.unless(
      literal == policy.refusal(of: address, host: "a"), "\(address): literal or connected")
    if !address.isIPv4 {
      let isGlobal = address.bits >> 125 == 0b001
      try FuzzFailure.unless(isGlobal || literal != nil, "\(address) is let through")
      let inBrackets = policy.refusal(scheme: "http", host: "[\(address)]")
      try FuzzFailure.unless(inBrackets == literal, "\(address): with brackets or without")
    }
    for length in [0, Int(prefixLength) % address.width, address.width] {
      let rest = UInt128(address.width - length)
      let bits = (address.bits >> rest) << rest
      let base = address.isIPv4 ? IPAddress(v4: UInt32(bits)) : IPAddress(v6: bits)
      guard let range = IPAddress.Block(base: base, prefixLength: length) else {
        throw FuzzFailure("\(base)/\(length) is no range")
      }
      // IPv4 addresses in disguise belong to their own kind.
      let isMapped = !address.isIPv4 && address.unmapped.isIPv4 && !range.base.isIPv4
      try FuzzFailure.unless(range.contains(address) != isMapped, "\(range) and \(address)")
      if !isMapped {
        try FuzzFailure.unless(
          policy.allowing(range).refusal(of: address, host: "a") == nil,
          "\(address) is refused, but \(range) allowed")
      }
      try check(range)
    }
  }

  private static func check(_ range: IPAddress.Block) throws {
    try FuzzFailure.unless(IPAddress.Block(range.description) == range, "\(range) is read as another")
    try FuzzFailure.unless(range.contains(range.base), "\(range) without its base")
    let rest = range.base.width - range.prefixLength
    guard rest < range.base.width else { return }
    let beyond = range.base.bits ^ (1 << UInt128(rest))
    let other = range.base.isIPv4 ? IPAddress(v4: UInt32(beyond)) : IPAddress(v6: beyond)
    try FuzzFailure.unless(!range.contains(other), "\(range) and \(other)")
  }
}
