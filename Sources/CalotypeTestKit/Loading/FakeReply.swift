public import CalotypeLoading
public import FoundationEssentials

/// A reply of a ``FakeLoader``: a head, and the steps of its body.
///
/// ```swift
/// let gate = Gate()
/// loader.route(url, .gated([(gate, firstHalf), (nil, secondHalf)]))
/// loader.route(other, .body(bytes, chunk: 1000).cut(after: 2500))
/// ```
public struct FakeReply: Sendable {
  /// One thing that a body does when its consumer asks for bytes.
  public enum Step: Sendable {
    /// Delivers bytes, in one chunk.
    case bytes(Data)
    /// Waits until a gate is open, or the load is cancelled.
    case wait(Gate)
    /// Opens a gate: tells the test that the body has come this far.
    case signal(Gate)
    /// Fails.
    case fail(any Error)
    /// Fails with `LoadingError.truncatedBody`, as when the connection is lost.
    case breakOff
    /// Waits until the load is cancelled.
    case hang
  }

  /// The HTTP status. One that the request does not let through becomes `LoadingError.httpStatus`.
  public var status: Int?
  /// The header fields. With an `ETag` or a `Last-Modified` that the request holds already, the answer is 304.
  public var headers: HTTPFields
  /// The length that is declared, in bytes. That of the steps by default; `nil` for none.
  public var expectedLength: Int?
  /// Where the bytes come from after redirects; `nil` for the URL that was asked for.
  public var url: URL?
  /// The gate that the head waits for, as on a slow server.
  public var headGate: Gate?
  /// Thrown instead of an answer.
  public var failure: (any Error)?
  /// The body.
  public var steps: [Step]

  /// A reply with a body of `steps`.
  public init(_ steps: [Step] = [], status: Int? = 200, headers: HTTPFields = HTTPFields()) {
    self.steps = steps
    self.status = status
    self.headers = headers
    expectedLength = steps.reduce(0) { $0 + $1.byteCount }
  }

  /// A whole response, in chunks of `chunk` bytes, or in one.
  public static func body(
    _ data: Data, chunk: Int? = nil, status: Int = 200, headers: HTTPFields = HTTPFields()
  ) -> FakeReply {
    let size = max(1, min(chunk ?? data.count, data.count))
    let chunks = stride(from: data.startIndex, to: data.endIndex, by: size).map {
      Step.bytes(Data(data[$0..<min($0 + size, data.endIndex)]))
    }
    return FakeReply(chunks, status: status, headers: headers)
  }

  /// A response without bytes.
  public static func status(_ status: Int, headers: HTTPFields = HTTPFields()) -> FakeReply {
    FakeReply(status: status, headers: headers)
  }

  /// The head at once, and each piece of the body after its gate, if it has one.
  public static func gated(
    _ pieces: [(gate: Gate?, data: Data)], headers: HTTPFields = HTTPFields()
  ) -> FakeReply {
    FakeReply(
      pieces.flatMap { piece -> [Step] in (piece.gate.map { [.wait($0)] } ?? []) + [.bytes(piece.data)] },
      headers: headers)
  }

  /// An error instead of an answer.
  public static func failure(_ error: any Error) -> FakeReply {
    var reply = FakeReply()
    reply.failure = error
    return reply
  }

  /// A head, and then nothing until the load is cancelled.
  public static var hang: FakeReply {
    var reply = FakeReply([.hang])
    reply.expectedLength = nil
    return reply
  }

  /// The same reply, its head behind a gate.
  public func behind(_ gate: Gate) -> FakeReply {
    var reply = self
    reply.headGate = gate
    return reply
  }

  /// The same reply, which fails after `count` bytes, or after the last one of fewer: with `error`, or as when the connection is
  /// lost. The declared length stays.
  public func cut(after count: Int, with error: (any Error)? = nil) -> FakeReply {
    var reply = self
    reply.steps = []
    var left = max(0, count)
    for step in steps {
      guard case .bytes(let data) = step else {
        reply.steps.append(step)
        continue
      }
      if left > 0 { reply.steps.append(.bytes(Data(data.prefix(left)))) }
      left -= min(left, data.count)
      if left == 0 { break }
    }
    reply.steps.append(error.map { .fail($0) } ?? .breakOff)
    return reply
  }
}

extension FakeReply.Step {
  fileprivate var byteCount: Int { if case .bytes(let data) = self { data.count } else { 0 } }
}
