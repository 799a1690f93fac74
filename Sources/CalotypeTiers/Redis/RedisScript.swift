import CalotypeSupport

/// A Lua script, which Redis knows by its SHA-1 once it has run.
package struct RedisScript: Hashable, Sendable {
  /// The text.
  package let text: String
  /// The SHA-1 of the text, in hexadecimal.
  package let digest: String

  /// Creates a script.
  package init(_ text: String) {
    self.text = text
    var hash = MessageDigest(.sha1)
    hash.update(text)
    digest = Hex.encode(hash.finalize())
  }

  /// The command that runs the script.
  ///
  /// - Parameter isKnown: Whether Redis is supposed to know it; if it does not, it answers `NOSCRIPT`.
  func command(keys: [String], arguments: [[UInt8]], isKnown: Bool) -> RESPCommand {
    let head = [isKnown ? "EVALSHA" : "EVAL", isKnown ? digest : text, String(keys.count)] + keys
    return RESPCommand(head.map { Array($0.utf8) } + arguments)
  }
}
