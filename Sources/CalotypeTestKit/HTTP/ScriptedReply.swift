public import FoundationEssentials

/// A reply of ``ScriptedHTTPServer``: a list of steps, carried out in order.
public struct ScriptedReply: Sendable {
  /// One thing to do.
  public enum Step: Sendable {
    /// Sends the status line and these header fields, and nothing the script does not say: no length, no
    /// date.
    case head(Int, [(name: String, value: String)])
    /// Sends bytes as they are.
    case bytes(Data)
    /// Sends bytes as one chunk of a chunked body; no bytes send the last chunk.
    case chunk(Data)
    /// Waits until a gate is open, the client leaves or the server stops.
    case wait(Gate)
    /// Opens a gate: tells the test that the script has come this far.
    case signal(Gate)
    /// Waits, then sends bytes as they are: what is measured in a time needs time to pass.
    case drip(Data, Duration)
    /// Waits until the client leaves or the server stops.
    case hang
    /// Closes the connection.
    case close
    /// Resets the connection: the client sees an error instead of an end.
    case reset
  }

  /// The steps.
  public var steps: [Step]

  /// A reply of `steps`. The connection is kept for the next request if the last step does not close it; the
  /// script is responsible for the framing then.
  public init(_ steps: [Step]) {
    self.steps = steps
  }

  /// A whole response with the right `Content-Length`.
  public static func body(
    _ data: Data, status: Int = 200, headers: [(name: String, value: String)] = []
  ) -> ScriptedReply {
    ScriptedReply([.head(status, headers + [("Content-Length", "\(data.count)")]), .bytes(data)])
  }

  /// A response without body bytes.
  public static func status(_ status: Int, headers: [(name: String, value: String)] = []) -> ScriptedReply {
    body(Data(), status: status, headers: headers)
  }

  /// A redirect.
  public static func redirect(to location: String, status: Int = 302) -> ScriptedReply {
    body(Data(), status: status, headers: [("Location", location)])
  }

  /// A chunked body, one chunk of the protocol for each of `chunks`.
  public static func chunked(
    _ chunks: [Data], headers: [(name: String, value: String)] = []
  ) -> ScriptedReply {
    ScriptedReply(
      [.head(200, headers + [("Transfer-Encoding", "chunked")])]
        + chunks.filter { !$0.isEmpty }.map { .chunk($0) } + [.chunk(Data())])
  }

  /// The head at once, and each piece of the body after its gate; `Content-Length` is right.
  public static func gated(
    _ pieces: [(gate: Gate, data: Data)], headers: [(name: String, value: String)] = []
  ) -> ScriptedReply {
    let count = pieces.reduce(0) { $0 + $1.data.count }
    return ScriptedReply(
      [.head(200, headers + [("Content-Length", "\(count)")])]
        + pieces.flatMap { [.wait($0.gate), .bytes($0.data)] })
  }

  /// The same with a body in as many equal pieces as there are gates; the last one may be shorter.
  public static func gated(
    _ data: Data, by gates: [Gate], headers: [(name: String, value: String)] = []
  ) -> ScriptedReply {
    let length = max(1, (data.count + gates.count - 1) / max(1, gates.count))
    let pieces = gates.enumerated().compactMap { index, gate -> (gate: Gate, data: Data)? in
      let rest = data.dropFirst(index * length)
      return rest.isEmpty ? nil : (gate, Data(rest.prefix(length)))
    }
    return gated(pieces, headers: headers)
  }

  /// Announces `declared` bytes, sends `data` and closes the connection.
  public static func truncated(_ data: Data, declared: Int) -> ScriptedReply {
    ScriptedReply([.head(200, [("Content-Length", "\(declared)")]), .bytes(data), .close])
  }

  /// The reply of a server with range support to `request` (RFC 9110 §14): all of `data`, one part of it, or that there is
  /// no such part. `If-Range` and `If-None-Match` are compared with `etag`.
  public static func resource(
    _ data: Data, etag: String, for request: ScriptedRequest, headers: [(name: String, value: String)] = []
  ) -> ScriptedReply {
    let common = headers + [("ETag", etag), ("Accept-Ranges", "bytes")]
    if request[header: "If-None-Match"] == etag { return ScriptedReply([.head(304, common)]) }
    guard let range = request[header: "Range"], range.hasPrefix("bytes="),
      request[header: "If-Range"].map({ $0 == etag }) ?? true
    else { return body(data, headers: common) }
    let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let offset = Int(ends[0]), ends[1].isEmpty || Int(ends[1]) != nil else {
      return body(data, headers: common)
    }
    guard offset < data.count else {
      return body(Data(), status: 416, headers: common + [("Content-Range", "bytes */\(data.count)")])
    }
    let last = min(Int(ends[1]) ?? .max, data.count - 1)
    let part = ("Content-Range", "bytes \(offset)-\(last)/\(data.count)")
    return body(Data(data.dropFirst(offset).prefix(last + 1 - offset)), status: 206, headers: common + [part])
  }

  /// The same script, cut off after `count` bytes of the body: the connection is closed, or reset.
  public func cut(after count: Int, resets: Bool = false) -> ScriptedReply {
    var left = count
    var result: [Step] = []
    for step in steps {
      guard case .bytes(let data) = step else {
        result.append(step)
        continue
      }
      result.append(.bytes(Data(data.prefix(left))))
      left -= min(left, data.count)
      if left == 0 { break }
    }
    return ScriptedReply(result + [resets ? .reset : .close])
  }

  /// Nothing, ever.
  public static var hang: ScriptedReply { ScriptedReply([.hang]) }

  /// An end of the connection instead of an answer.
  public static var close: ScriptedReply { ScriptedReply([.close]) }
}
