/// Bytes that are not RESP3, or exceed a bound. The connection cannot be used any longer.
package enum RESPError: Error, Hashable, Sendable {
  /// A value begins with an unknown byte, or with one of RESP3's streamed forms, which Redis does not send.
  case unknownType(UInt8)
  /// A line, a number or an ending is malformed.
  case malformed
  /// A line, a string, an aggregate or a reply is larger than its bound.
  case tooLarge
  /// Aggregates are nested too deeply.
  case tooDeep
}
