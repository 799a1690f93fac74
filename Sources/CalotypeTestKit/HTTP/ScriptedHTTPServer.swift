import CalotypeSupport
public import FoundationEssentials
import Glibc

/// An HTTP/1.1 server on a free port of the loopback interface that does exactly what a test tells it to.
///
/// Every path has a reply: fixed, or computed from the request. Replies are scripts, so that a test can hold
/// a response back behind a ``Gate``, cut it short or never send it. The server records what it sees, and a
/// test can wait for it to see something.
///
/// ```swift
/// let server = try ScriptedHTTPServer()
/// defer { server.stop() }
/// let gate = Gate()
/// server.route("/cat.jpg", .gated([(gate, bytes)]))
/// let task = Task { try await loader.data(for: LoadRequest(url: server.url("/cat.jpg"))) }
/// try await server.waitForRequests("/cat.jpg", count: 1)
/// task.cancel()
/// try await server.waitForDisconnects("/cat.jpg", count: 1)
/// ```
///
/// One thread per connection, one to accept. Connections are kept alive. An unknown path gets status 404.
public final class ScriptedHTTPServer: Sendable {
  /// The port it listens on.
  public let port: Int
  private let listener: Int32
  private let routes = Lock<[String: @Sendable (ScriptedRequest) -> ScriptedReply]>([:])
  private let others = Lock<(@Sendable (ScriptedRequest) -> ScriptedReply)?>(nil)
  private let stopped = Gate()
  private let journal = EventLog(ServerEntries())

  /// Why a server could not be started.
  public struct StartError: Error, CustomStringConvertible {
    /// The call that failed and the system's reason.
    public let description: String
  }

  /// Binds a port and starts to accept.
  ///
  /// - Parameters:
  ///   - wanted: The port; 0 takes any free one.
  ///   - greeting: The steps on each new connection before a request is read, e.g. to play a TLS server that never
  ///     comes to the point.
  public init(port wanted: UInt16 = 0, greeting: [ScriptedReply.Step] = []) throws(StartError) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw StartError(description: "socket: \(String(cString: strerror(errno)))") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = wanted.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var reuse: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 1024) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard status else {
      let reason = String(cString: strerror(errno))
      close(listener)
      throw StartError(description: "bind and listen: \(reason)")
    }
    self.listener = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    let (routes, others, stopped, journal) = (self.routes, self.others, self.stopped, self.journal)
    Threads.start(name: "scripted-http") {
      Self.accept(on: listener, stopped: stopped, journal: journal, greeting: greeting) { request in
        let handler = routes.withLock { $0[request.path] } ?? others.withLock { $0 }
        return handler?(request) ?? .status(404)
      }
    }
  }

  deinit {
    stopped.open()
  }

  /// Closes all connections and the port; scripts that wait end.
  public func stop() {
    stopped.open()
  }

  // MARK: Replies

  /// Answers every request for `path` with `reply`. Replaces what was there.
  public func route(_ path: String, _ reply: ScriptedReply) {
    route(path) { _ in reply }
  }

  /// Answers every request for `path` with what `handler` makes of it. Replaces what was there.
  public func route(_ path: String, _ handler: @escaping @Sendable (ScriptedRequest) -> ScriptedReply) {
    routes.withLock { $0[path] = handler }
  }

  /// Answers every request for a path without a reply of its own. Replaces what was there.
  public func routeOthers(_ handler: @escaping @Sendable (ScriptedRequest) -> ScriptedReply) {
    others.withLock { $0 = handler }
  }

  /// The URL of `path`, which starts with a slash; `host` is another name of this machine.
  public func url(_ path: String, host: String = "127.0.0.1") -> URL {
    guard let url = URL(string: "http://\(host):\(port)\(path)") else {
      // Written by the author of a test; nothing that comes over the wire gets here.
      preconditionFailure("not a path for a URL: \(path)")
    }
    return url
  }

  // MARK: What it saw

  /// All requests so far, in the order they came in.
  public var requests: [ScriptedRequest] { journal.entries.requests }

  /// All requests for `path` so far.
  public func requests(for path: String) -> [ScriptedRequest] { requests.filter { $0.path == path } }

  /// Connections that were accepted so far.
  public var connectionCount: Int { journal.entries.connections }

  /// Connections that are open.
  public var openConnections: Int { journal.entries.openConnections }

  /// Bytes of replies to `path` that the system took, heads included.
  public func bytesSent(_ path: String) -> Int { journal.entries.sent[path] ?? 0 }

  /// Clients that left during a reply to `path`.
  public func disconnects(_ path: String) -> Int { journal.entries.disconnects[path] ?? 0 }

  /// Suspends until `count` requests for `path` have come in.
  ///
  /// - Throws: `CancellationError`, as the other waits.
  public func waitForRequests(_ path: String, count: Int = 1) async throws {
    try await journal.wait { $0.requests.count { $0.path == path } >= count }
  }

  /// Suspends until `count` clients have left during a reply to `path`.
  ///
  /// - Throws: `CancellationError`.
  public func waitForDisconnects(_ path: String, count: Int = 1) async throws {
    try await journal.wait { $0.disconnects[path] ?? 0 >= count }
  }

  /// Suspends until `count` replies to `path` were carried out to their end.
  ///
  /// - Throws: `CancellationError`.
  public func waitForReplies(_ path: String, count: Int = 1) async throws {
    try await journal.wait { $0.finished[path] ?? 0 >= count }
  }

  /// Suspends until a reply to `path` could not be written because the client does not read.
  ///
  /// - Throws: `CancellationError`.
  public func waitForStalledWrite(_ path: String) async throws {
    try await journal.wait { $0.stalls[path] ?? 0 > 0 }
  }

  /// Suspends until no connection is open.
  ///
  /// - Throws: `CancellationError`.
  public func waitForNoConnections() async throws {
    try await journal.wait { $0.openConnections == 0 }
  }

  // MARK: Thread

  private static func accept(
    on listener: Int32, stopped: Gate, journal: EventLog<ServerEntries>, greeting: [ScriptedReply.Step],
    reply: @escaping @Sendable (ScriptedRequest) -> ScriptedReply
  ) {
    defer { close(listener) }
    while true {
      var entries = [
        pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stopped.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&entries, 2, -1) >= 0 || errno == EINTR else { return }
      if entries[1].revents != 0 { return }
      guard entries[0].revents != 0 else { continue }
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { continue }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      _ = fcntl(client, F_SETFL, O_NONBLOCK)
      journal.note {
        $0.connections += 1
        $0.openConnections += 1
      }
      let number = journal.entries.connections
      Threads.start(name: "scripted-conn") {
        ServerConnection(client, number: number, stopped: stopped, journal: journal).serve(greeting, reply)
        close(client)
        journal.note { $0.openConnections -= 1 }
      }
    }
  }
}
