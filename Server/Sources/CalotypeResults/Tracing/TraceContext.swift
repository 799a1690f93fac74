/// The position of a request in a distributed trace, as its client names it (W3C Trace Context).
public struct TraceContext: Hashable, Sendable {
  /// The value of `traceparent` for others: 32 digits of the trace, 16 of the span, and the flags.
  public let parent: String
  /// The value of `tracestate` for others; empty for none.
  public let state: String
  /// The trace: 32 hexadecimal digits in lower case.
  public let traceID: String

  /// Reads the fields of a request; `nil` if `traceparent` is not well formed. A `tracestate` that is not is dropped.
  ///
  /// - Parameters:
  ///   - parents: The values of `traceparent`, of which there has to be one.
  ///   - states: The values of `tracestate`, in order.
  public init?(parents: [String], states: [String] = []) {
    guard parents.count == 1, let text = parents.first, text.utf8.count <= 512 else { return nil }
    let bytes = Array(text.utf8)
    guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else { return nil }
    let (version, trace, span, flags) = (bytes[..<2], bytes[3..<35], bytes[36..<52], bytes[53..<55])
    guard [version, trace, span, flags].allSatisfy({ $0.allSatisfy(Self.isDigit) }),
      !version.elementsEqual("ff".utf8), Self.isAny(trace), Self.isAny(span)
    else { return nil }
    let isKnown = version.elementsEqual("00".utf8)
    // Later versions may have more behind a further dash.
    guard bytes.count == 55 || !isKnown && bytes[55] == UInt8(ascii: "-") else { return nil }
    traceID = String(decoding: trace, as: UTF8.self)
    // Of later versions, only the flag of sampling is known.
    let known = isKnown ? String(decoding: flags, as: UTF8.self) : Self.isSampled(flags) ? "01" : "00"
    parent = "00-\(traceID)-\(String(decoding: span, as: UTF8.self))-\(known)"
    state = TraceState.text(of: states) ?? ""
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func isAny(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.contains { $0 != UInt8(ascii: "0") }
  }

  private static func isSampled(_ flags: ArraySlice<UInt8>) -> Bool {
    flags.last.map { "13579bdf".utf8.contains($0) } ?? false
  }
}
