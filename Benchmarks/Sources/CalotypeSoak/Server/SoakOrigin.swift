import BenchmarkHarness
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Synchronization

/// The servers of ``ServerSoak``, in a process of their own: memory, threads and descriptors of theirs are not looked at.
final class SoakOrigin: Sendable {
  /// One port each, so that each is a host of its own to the loader.
  enum Server: Int, CaseIterable, Sendable {
    case fast, ordinary, slow, dripping, broken
  }

  private let process: Mutex<ChildProcess>
  private let ports: [Int]

  /// Starts the process.
  ///
  /// - Throws: `ChildProcessError`.
  init() throws {
    let process = try ChildProcess("/proc/self/exe", arguments: ["origin"])
    ports = try process.read().split(separator: " ").compactMap { Int($0) }
    self.process = Mutex(process)
    guard ports.count == Server.allCases.count else {
      throw ChildProcessError(description: "\(ports.count) servers")
    }
  }

  /// Where a number of a kind is.
  func url(_ kind: SoakKind, _ number: Int) -> URL? {
    URL(string: "http://127.0.0.1:\(ports[kind.server.rawValue])/\(kind.rawValue)?\(number)")
  }

  /// What all URLs of a server begin with.
  func prefix(_ server: Server) -> String { "http://127.0.0.1:\(ports[server.rawValue])/" }

  // MARK: The process

  /// Prints the ports, and serves until standard input ends.
  static func run() async throws -> Bool {
    let bodies = Bodies()
    let servers = try Server.allCases.map { _ in try ScriptedHTTPServer() }
    for kind in SoakKind.allCases {
      servers[kind.server.rawValue].route("/\(kind.rawValue)") { request in
        reply(kind, Int(request.query ?? "") ?? 0, request, bodies)
      }
    }
    print(servers.map { "\($0.port)" }.joined(separator: " "))
    fflush(nil)
    withExtendedLifetime(servers) {
      while readLine() != nil {}
    }
    return true
  }

  private static func reply(
    _ kind: SoakKind, _ number: Int, _ request: ScriptedRequest, _ bodies: Bodies
  ) -> ScriptedReply {
    let body = bodies.of(number)
    let length = ("Content-Length", "\(body.count)")
    let half = body.prefix(body.count / 2)
    switch kind {
    case .hot, .ordinary, .upload, .idle, .canary, .herd, .flood:
      return cacheable(body, number, request)
    case .slow:
      let delay = Duration.milliseconds(2_000 + number % 3_000)
      return ScriptedReply([.drip(Data(), delay), .head(200, [length]), .bytes(body)])
    case .dripping:
      let drops = (0..<60).map { second in
        ScriptedReply.Step.drip(body.dropFirst(half.count + second * 50).prefix(50), .seconds(1))
      }
      return ScriptedReply([.head(200, [length]), .bytes(half)] + drops + [.hang])
    case .unsized:
      if number % 2 == 0 { return .chunked([half, body.dropFirst(half.count)]) }
      return ScriptedReply([.head(200, [("Connection", "close")]), .bytes(body), .close])
    case .longer: return .truncated(body, declared: body.count + 10_000)
    case .shorter:
      return ScriptedReply([.head(200, [("Content-Length", "\(half.count)")]), .bytes(body), .close])
    case .truncated: return .truncated(half, declared: body.count)
    case .hostile: return .body(SoakHostile.allCases[number % SoakHostile.allCases.count].body)
    case .missing: return .status(404, headers: [("Cache-Control", "max-age=2")])
    case .failing: return .status(500)
    case .redirected: return .redirect(to: "/ordinary?\(number)")
    case .circling: return .redirect(to: "/circling?\(number)")
    }
  }

  /// One in four may not be kept, one in four is to be asked for again after a second.
  private static func cacheable(_ body: Data, _ number: Int, _ request: ScriptedRequest) -> ScriptedReply {
    let control = ["no-store", "max-age=1", "max-age=600", "max-age=600"][number / SoakPicture.classCount % 4]
    return .resource(body, etag: "\"\(number)\"", for: request, headers: [("Cache-Control", control)])
  }
}

/// The encoded pictures, made once.
private final class Bodies: Sendable {
  private let made = Mutex<[Int: Data]>([:])

  func of(_ number: Int) -> Data {
    let picture = SoakPicture(number)
    if let body = made.withLock({ $0[picture.index] }) { return body }
    // Made twice if two ask at a time: the bytes are the same.
    let body = (try? picture.encoded()) ?? Data()
    made.withLock { $0[picture.index] = body }
    return body
  }
}
