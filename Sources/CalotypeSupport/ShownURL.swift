/// URLs as they are shown, stored and logged: without user name and password.
package enum ShownURL {
  /// A URL, or a text with URLs in it such as a message or a key, without the users of any: what stands between `//`
  /// and the last `@` of the part that names the host (RFC 3986 §3.2) is left out.
  ///
  /// - Parameter isOne: Whether the text is one URL, or meant to be: spaces are part of it then.
  package static func withoutUsers(_ text: String, isOne: Bool = false) -> String {
    let at = UInt8(ascii: "@")
    guard text.utf8.contains(at) else { return text }
    let bytes = Array(text.utf8)
    var kept: [UInt8] = []
    var index = 0
    while index < bytes.count {
      kept.append(bytes[index])
      index += 1
      guard kept.suffix(2).elementsEqual("//".utf8),
        kept.count == 2 || kept[kept.count - 3] == UInt8(ascii: ":")
      else { continue }
      let authority = bytes[index...].prefix { !endsAuthority($0, isOne) }
      if let last = authority.lastIndex(of: at) { index = last + 1 }
    }
    return kept.count == bytes.count ? text : String(decoding: kept, as: UTF8.self)
  }

  /// Path, query or fragment begins, or another word does. A backslash is a slash to some.
  private static func endsAuthority(_ byte: UInt8, _ isOne: Bool) -> Bool {
    "/?#\\".utf8.contains(byte) || (!isOne && byte <= 0x20)
  }
}
