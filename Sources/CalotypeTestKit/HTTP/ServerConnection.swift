import FoundationEssentials
import Glibc

/// One connection of a server, on its own thread.
final class ServerConnection {
  private let descriptor: Int32
  private let number: Int
  private let stopped: Gate
  private let journal: EventLog<ServerEntries>
  private var input: [UInt8] = []

  /// `POLLRDHUP`, which the C library hides: the client has closed its end.
  private static let peerClosed: Int16 = 0x2000

  /// Why a connection ends.
  private enum End: Error {
    case clientLeft
    case serverStopped
    case script
    case badRequest
  }

  init(_ descriptor: Int32, number: Int, stopped: Gate, journal: EventLog<ServerEntries>) {
    self.descriptor = descriptor
    self.number = number
    self.stopped = stopped
    self.journal = journal
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    // Small, so that a client that does not read is noticed soon.
    var size: Int32 = 64 << 10
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }

  func serve(_ greeting: [ScriptedReply.Step], _ reply: (ScriptedRequest) -> ScriptedReply) {
    do {
      for step in greeting { try carryOut(step, "") }
    } catch {
      return
    }
    while let request = try? nextRequest() {
      journal.note { $0.requests.append(request) }
      do {
        for step in reply(request).steps { try carryOut(step, request.path) }
        journal.note { $0.finished[request.path, default: 0] += 1 }
      } catch {
        if case .clientLeft = error { journal.note { $0.disconnects[request.path, default: 0] += 1 } }
        if case .script = error { journal.note { $0.finished[request.path, default: 0] += 1 } }
        return
      }
    }
  }

  // MARK: Requests

  private func nextRequest() throws(End) -> ScriptedRequest {
    let separator = Array("\r\n\r\n".utf8)
    while true {
      if let range = input.firstRange(of: separator) {
        let head = String(decoding: input[..<range.lowerBound], as: UTF8.self)
        input.removeSubrange(..<range.upperBound)
        guard var request = ScriptedRequest(head: head, connection: number) else { throw .badRequest }
        request.body = try body(Int(request[header: "Content-Length"] ?? "0") ?? 0)
        return request
      }
      guard input.count < 1 << 20 else { throw .badRequest }
      try readSome()
    }
  }

  private func body(_ count: Int) throws(End) -> Data {
    guard (0...(64 << 20)).contains(count) else { throw .badRequest }
    while input.count < count { try readSome() }
    defer { input.removeFirst(count) }
    return Data(input[..<count])
  }

  private func readSome() throws(End) {
    while true {
      var buffer = [UInt8](repeating: 0, count: 16 << 10)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 {
        input.append(contentsOf: buffer[..<count])
        return
      }
      guard count < 0, errno == EAGAIN || errno == EINTR else { throw .clientLeft }
      try sleep(until: nil, socket: Int16(POLLIN))
    }
  }

  // MARK: Replies

  private func carryOut(_ step: ScriptedReply.Step, _ path: String) throws(End) {
    switch step {
    case .head(let status, let fields):
      var text = "HTTP/1.1 \(status) \(status == 200 ? "OK" : "Status")\r\n"
      for field in fields { text += "\(field.name): \(field.value)\r\n" }
      try send(Data((text + "\r\n").utf8), path)
    case .bytes(let data): try send(data, path)
    case .chunk(let data):
      let size = String(data.count, radix: 16)
      try send(Data("\(size)\r\n".utf8) + data + Data("\r\n".utf8), path)
    case .wait(let gate): while !gate.isOpen { try sleep(until: gate, socket: 0) }
    case .signal(let gate): gate.open()
    case .drip(let data, let duration):
      try sleep(until: nil, socket: 0, atMost: duration)
      try send(data, path)
    case .hang: while true { try sleep(until: nil, socket: 0) }
    case .close: throw .script
    case .reset:
      // Lingering for no time turns close into a reset.
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      throw .script
    }
  }

  private func send(_ data: Data, _ path: String) throws(End) {
    var offset = 0
    while offset < data.count {
      let count = data.withUnsafeBytes { buffer in
        Glibc.send(
          descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset,
          Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        offset += count
        journal.note { $0.sent[path, default: 0] += count }
      } else if errno == EAGAIN {
        journal.note { $0.stalls[path, default: 0] += 1 }
        try sleep(until: nil, socket: Int16(POLLOUT))
      } else if errno != EINTR {
        throw .clientLeft
      }
    }
  }

  /// Sleeps until the gate is open or the socket is ready for `events`; throws when the client leaves or the
  /// server stops.
  private func sleep(until gate: Gate?, socket events: Int16, atMost limit: Duration? = nil) throws(End) {
    var entries = [
      pollfd(fd: descriptor, events: events | Self.peerClosed, revents: 0),
      pollfd(fd: stopped.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: gate?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&entries, 3, limit.map { Int32(clamping: Int64($0 / .milliseconds(1))) } ?? -1) >= 0 else {
      return
    }
    if entries[1].revents != 0 { throw .serverStopped }
    let left = Self.peerClosed | Int16(POLLHUP | POLLERR | POLLNVAL)
    if entries[0].revents & left != 0, entries[0].revents & events == 0 { throw .clientLeft }
  }
}
