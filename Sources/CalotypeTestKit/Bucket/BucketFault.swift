public import FoundationEssentials

/// A fault of a ``ScriptedBucket``.
public enum BucketFault: Hashable, Sendable {
  /// An error document with this status and code, and perhaps a `Retry-After` in seconds.
  case refuse(status: Int, code: String, retryAfter: Int? = nil)
  /// No answer.
  case hang
  /// The connection is closed instead of an answer.
  case close
  /// The connection is reset instead of an answer.
  case reset
  /// The body ends after so many bytes, and the connection is closed.
  case cut(after: Int)
  /// The header and the first byte of the body come at once, and one more byte in each duration.
  case drip(every: Duration)
  /// One bit of the body is inverted: its number, modulo the length.
  case flip(bit: Int)
  /// Another body, as if it were the object.
  case replace(Data)
  /// The request is carried out, and its answer is a reset.
  case loseAnswer
}
