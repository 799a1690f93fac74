/// A failure of a command. No case carries a key, a value or a credential.
package enum RedisError: Error, Hashable, Sendable {
  /// There is no connection, or it broke before the reply.
  case unavailable
  /// No reply in time.
  case timedOut
  /// Too many commands wait.
  case queueFull
  /// Redis refused the command: the first word of its error, such as `NOSCRIPT`.
  case refused(code: String)
  /// The task was cancelled.
  case cancelled
  /// The reply is of another kind than the command has.
  case unexpectedReply

  /// The first word of an error, if it looks like one.
  init(refusal bytes: [UInt8]) {
    let word = bytes.prefix { (0x41...0x5A).contains($0) }
    self = .refused(code: word.count <= 32 ? String(decoding: word, as: UTF8.self) : "")
  }
}
