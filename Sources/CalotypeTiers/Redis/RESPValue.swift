/// A value of RESP3, the protocol of Redis (https://redis.io/docs/latest/develop/reference/protocol-spec/).
package indirect enum RESPValue: Hashable, Sendable {
  /// `_`, and the null strings and arrays of RESP2.
  case null
  /// `#`.
  case boolean(Bool)
  /// `:`.
  case integer(Int64)
  /// `,`.
  case double(Double)
  /// `(`, as its digits.
  case bigNumber([UInt8])
  /// `+` and `$`; `=` without its format.
  case string([UInt8])
  /// `-` and `!`.
  case error([UInt8])
  /// `*` and `~`.
  case array([RESPValue])
  /// `%`: keys and values by turns.
  case map([RESPValue])
  /// `>`: a message that answers no command.
  case push([RESPValue])

  /// The integer.
  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The bytes of a string.
  package var bytes: [UInt8]? {
    if case .string(let bytes) = self { bytes } else { nil }
  }

  /// The elements of an array.
  package var elements: [RESPValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}
