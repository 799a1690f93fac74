/// The commands on one connection: bytes to send, replies that are awaited in order, and deadlines. A pure value; the caller
/// passes the time and does the I/O.
package struct RedisPipeline: Sendable {
  /// The bounds of a pipeline.
  package struct Limits: Hashable, Sendable {
    /// The most commands without a reply, also those whose time is over.
    package var commands = 10_000
    /// The most bytes to send.
    package var bytes = 16 << 20

    /// The default bounds.
    package init() {}
  }

  /// The contents of received bytes.
  package enum Event: Hashable, Sendable {
    /// The reply of a command.
    case reply(id: Int, RESPValue)
    /// A reply that came too late: the server answers.
    case lateReply
    /// A message of a subscription.
    case message(channel: [UInt8], payload: [UInt8])
  }

  private struct Pending {
    var id: Int
    var deadline: Duration
    var isSubscription: Bool
    var isExpired = false
  }

  private let limits: Limits
  private var parser: RESPParser
  private var pending: [Pending] = []
  private var head = 0
  private var output: [UInt8] = []
  private var written = 0
  /// Not later than the earliest deadline.
  private var earliest: Duration?

  /// Creates the pipeline of a new connection.
  package init(limits: Limits = Limits(), parsing: RESPParser.Limits = .init()) {
    self.limits = limits
    parser = RESPParser(limits: parsing)
  }

  /// The number of commands without a reply.
  package var count: Int { pending.count - head }
  /// The bytes to send.
  package var outgoing: ArraySlice<UInt8> { output[written...] }
  /// When ``expire(at:)`` is worth a call.
  package var nextDeadline: Duration? { earliest }

  /// Adds a command.
  ///
  /// - Parameters:
  ///   - id: Identifies it in events.
  ///   - bytes: The encoded command.
  ///   - deadline: When its time is over.
  ///   - isSubscription: Whether a push answers it.
  /// - Returns: `false` when there is no room.
  package mutating func add(
    id: Int, _ bytes: [UInt8], deadline: Duration, isSubscription: Bool = false
  ) -> Bool {
    guard count < limits.commands, outgoing.count + bytes.count <= limits.bytes else { return false }
    if written > 64 << 10 || written == output.count {
      output.removeSubrange(..<written)
      written = 0
    }
    output += bytes
    pending.append(Pending(id: id, deadline: deadline, isSubscription: isSubscription))
    earliest = min(earliest ?? deadline, deadline)
    return true
  }

  /// The first `count` bytes of ``outgoing`` were sent.
  package mutating func sent(_ count: Int) { written += min(max(0, count), outgoing.count) }

  /// Takes bytes that have arrived.
  ///
  /// - Throws: ``RESPError``, also for a reply to no command: the connection is of no use.
  package mutating func receive(_ bytes: some Sequence<UInt8>) throws(RESPError) -> [Event] {
    parser.append(bytes)
    var events: [Event] = []
    while let value = try parser.next() {
      if case .push(let parts) = value {
        if let event = try push(parts) { events.append(event) }
      } else {
        events.append(try answer(value, isConfirmation: false))
      }
    }
    return events
  }

  private mutating func push(_ parts: [RESPValue]) throws(RESPError) -> Event? {
    guard let kind = parts.first?.bytes else { return nil }
    if kind.elementsEqual("message".utf8) {
      guard parts.count == 3, let channel = parts[1].bytes, let payload = parts[2].bytes else {
        throw .malformed
      }
      return .message(channel: channel, payload: payload)
    }
    guard kind.elementsEqual("subscribe".utf8) else { return nil }
    return try answer(.null, isConfirmation: true)
  }

  private mutating func answer(_ value: RESPValue, isConfirmation: Bool) throws(RESPError) -> Event {
    guard head < pending.count else { throw .malformed }
    let first = pending[head]
    // A refused subscription is answered by an error.
    if first.isSubscription != isConfirmation {
      guard case .error = value else { throw .malformed }
    }
    head += 1
    if head > 1_024 || head == pending.count {
      pending.removeSubrange(..<head)
      head = 0
    }
    if count == 0 { earliest = nil }
    return first.isExpired ? .lateReply : .reply(id: first.id, value)
  }

  /// Returns the commands whose time is over. Their replies are still expected, but dropped.
  package mutating func expire(at now: Duration) -> [Int] {
    guard let earliest, earliest <= now else { return [] }
    var expired: [Int] = []
    var next: Duration?
    for index in head..<pending.count where !pending[index].isExpired {
      if pending[index].deadline <= now {
        pending[index].isExpired = true
        expired.append(pending[index].id)
      } else {
        next = min(next ?? pending[index].deadline, pending[index].deadline)
      }
    }
    self.earliest = next
    return expired
  }

  /// Returns the commands that still wait, when the connection is given up.
  package func abandoned() -> [Int] { pending[head...].filter { !$0.isExpired }.map(\.id) }
}
