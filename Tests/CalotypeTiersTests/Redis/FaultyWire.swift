import CalotypeSupport
import Glibc

/// A wire between a client and a server that a test damages: a listener whose connections are passed on to another port.
final class FaultyWire: Sendable {
  enum Mode {
    /// Passes everything on.
    case open
    /// Accepts, reads, and passes nothing on: half-open connections.
    case silent
    /// Sends what is no RESP.
    case garbage
  }

  private struct State {
    var mode = Mode.open
    var resets = 0
    var accepted = 0
    var isClosed = false
  }

  let port: Int
  private let state = Lock(State())
  private let pipe: WakePipe

  init(to target: Int) throws {
    guard let listener = LoopbackSocket(), let pipe = WakePipe() else { throw RedisServer.StartFailure() }
    port = listener.port
    self.pipe = pipe
    let state = state
    Threads.start(name: "faulty-wire") { Self.run(listener, target, state, pipe) }
  }

  deinit {
    state.withLock { $0.isClosed = true }
    pipe.ring()
  }

  /// The number of connections so far.
  var accepted: Int { state.withLock { $0.accepted } }

  func set(_ mode: Mode) {
    state.withLock { $0.mode = mode }
    pipe.ring()
  }

  /// Resets all connections (RST).
  func reset() {
    state.withLock { $0.resets += 1 }
    pipe.ring()
  }

  private static func run(_ listener: LoopbackSocket, _ target: Int, _ state: Lock<State>, _ pipe: WakePipe) {
    var links: [(Int32, Int32)] = []
    var resets = 0
    func end(_ link: (Int32, Int32)) {
      close(link.0)
      close(link.1)
    }
    while true {
      var entries = [listener.descriptor, pipe.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      for link in links {
        for descriptor in [link.0, link.1] {
          entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        }
      }
      _ = poll(&entries, nfds_t(entries.count), -1)
      let now = state.withLock { $0 }
      if now.isClosed { break }
      var buffer = [UInt8](repeating: 0, count: 16 << 10)
      if entries[1].revents != 0 { _ = read(pipe.descriptor, &buffer, 64) }
      if now.resets > resets {
        resets = now.resets
        for link in links {
          var linger = linger(l_onoff: 1, l_linger: 0)
          setsockopt(link.0, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
          end(link)
        }
        links = []
        continue
      }
      var left: [(Int32, Int32)] = []
      for (index, link) in links.enumerated() {
        var isOpen = true
        for (offset, from, to) in [(2, link.0, link.1), (3, link.1, link.0)]
        where isOpen && entries[2 * index + offset].revents != 0 {
          let count = read(from, &buffer, buffer.count)
          guard count > 0 else {
            isOpen = false
            continue
          }
          switch now.mode {
          case .open: _ = send(to, buffer, count, Int32(MSG_NOSIGNAL))
          case .silent: break
          case .garbage: _ = send(link.0, Array("HTTP/1.1 400 Bad Request\r\n".utf8), 26, Int32(MSG_NOSIGNAL))
          }
        }
        if isOpen { left.append(link) } else { end(link) }
      }
      links = left
      if entries[0].revents != 0 {
        let client = accept(listener.descriptor, nil, nil)
        guard client >= 0 else { continue }
        if let server = LoopbackSocket(connectingTo: target) {
          state.withLock { $0.accepted += 1 }
          links.append((client, server.descriptor))
        } else {
          close(client)
        }
      }
    }
    for link in links { end(link) }
    listener.close()
  }
}
