/// The list of `tracestate` (W3C Trace Context, section 3.3).
enum TraceState {
  /// Most bytes of a list, and members of it.
  static let (maxBytes, maxMembers) = (512, 32)

  /// Returns the list of several fields as one; `nil` if it is not well formed.
  static func text(of fields: [String]) -> String? {
    let text = fields.joined(separator: ",")
    guard text.utf8.count <= maxBytes else { return nil }
    var (members, keys): ([String], Set<[UInt8]>) = ([], [])
    for part in text.utf8.split(separator: UInt8(ascii: ",")) {
      let member = trimmed(part)
      guard !member.isEmpty else { continue }
      guard let mark = member.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let (key, value) = (member[..<mark], member[(mark + 1)...])
      guard isKey(key), isValue(value), keys.insert(Array(key)).inserted, keys.count <= maxMembers else {
        return nil
      }
      members.append(String(decoding: member, as: UTF8.self))
    }
    return members.joined(separator: ",")
  }

  private static func trimmed(_ part: some Collection<UInt8>) -> ArraySlice<UInt8> {
    var rest = Array(part)[...]
    while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
    return rest
  }

  /// Lower-case letters, digits and `_-*/`; at most one `@`, which ends the name of a tenant.
  private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
    guard (1...256).contains(key.count), let first = key.first, isLetter(first) || isDigit(first) else {
      return false
    }
    let parts = key.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return false }
    if parts.count == 2 {
      guard parts[0].count <= 241, parts[1].count <= 14, parts[1].first.map(isLetter) == true else {
        return false
      }
    }
    return parts.allSatisfy { $0.allSatisfy { isLetter($0) || isDigit($0) || "_-*/".utf8.contains($0) } }
  }

  private static func isValue(_ value: ArraySlice<UInt8>) -> Bool {
    (1...256).contains(value.count)
      && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x2C && $0 != 0x3D }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
