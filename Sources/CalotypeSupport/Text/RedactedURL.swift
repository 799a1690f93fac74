/// Removes user names and passwords from URLs that are shown, stored or logged.
package enum RedactedURL {
  /// A URL, or a text with URLs in it such as a message or a key, without the users of any: what stands between the
  /// slashes and the last `@` of the part that names the host (RFC 3986 §3.2) is left out, also where a writer or a
  /// lenient reader takes one slash, or three, for two.
  ///
  /// - Parameter isOne: Whether the text is one URL, or meant to be: spaces are part of it then.
  package static func withoutUsers(_ text: String, isOne: Bool = false) -> String {
    let at = UInt8(ascii: "@")
    guard text.utf8.contains(at) else { return text }
    let bytes = Array(text.utf8)
    var kept: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if beginsAuthority(bytes, index) {
        let authority = bytes[index...].prefix { !endsAuthority($0, isOne) }
        if let last = authority.lastIndex(of: at) { index = last + 1 }
      }
      guard index < bytes.count else { break }
      kept.append(bytes[index])
      index += 1
    }
    return kept.count == bytes.count ? text : String(decoding: kept, as: UTF8.self)
  }

  /// Whether the part that names the host begins at `index`: behind two slashes, or any number of them that follows the
  /// scheme of the web. Three behind another scheme begin a path, as in `file:` URLs.
  private static func beginsAuthority(_ bytes: [UInt8], _ index: Int) -> Bool {
    guard !isSlash(bytes[index]) else { return false }
    let before = bytes[..<index]
    let slashes = before.reversed().prefix { isSlash($0) }.count
    let rest = before.dropLast(slashes)
    guard let last = rest.last else { return slashes == 2 }
    guard last == UInt8(ascii: ":") else { return slashes == 2 && !isPartOfPath(last) }
    let scheme = rest.dropLast().suffix(5).map { $0 | 0x20 }
    return slashes == 2 || scheme.suffix(4).elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8)
  }

  private static func isSlash(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
  }

  /// Whether slashes behind `byte` are within a path.
  private static func isPartOfPath(_ byte: UInt8) -> Bool { !"'\"`(<[{=,; \t\n".utf8.contains(byte) }

  /// Path, query or fragment begins, or another word does. A backslash is a slash to some.
  private static func endsAuthority(_ byte: UInt8, _ isOne: Bool) -> Bool {
    "/?#\\".utf8.contains(byte) || (!isOne && byte <= 0x20)
  }
}
