import CalotypeTestKit
import FoundationEssentials
import Glibc

/// The server of ``FaultSoak``: in a process of its own, so that its descriptors, threads and memory are not those that
/// are looked at.
enum FaultServer {
  /// Prints the port, and serves until standard input ends.
  static func run() async throws -> Bool {
    let server = try ScriptedHTTPServer()
    for kind in FaultPlan.Kind.allCases {
      server.route("/\(kind.rawValue)") { reply(kind, to: $0.query ?? "") }
    }
    print(server.port)
    fflush(nil)
    while readLine() != nil {}
    server.stop()
    return true
  }

  private static func reply(_ kind: FaultPlan.Kind, to query: String) -> ScriptedReply {
    var values: [String: Int] = [:]
    for pair in query.split(separator: "&") {
      let words = pair.split(separator: "=")
      if words.count == 2 { values[String(words[0])] = Int(words[1]) }
    }
    guard let number = values["number"], let byteCount = values["bytes"], let sent = values["sent"] else {
      return .status(400)
    }
    let body = FaultPlan.body(number, byteCount)
    if kind == .whole { return number % 3 == 0 ? chunked(body) : .body(body) }
    if sent < 0 { return ScriptedReply([.reset]) }
    let begun: [ScriptedReply.Step] = [
      .head(200, [("Content-Length", "\(byteCount)")]), .bytes(body.prefix(sent)),
    ]
    switch kind {
    case .reset: return ScriptedReply(begun + [.reset])
    case .stalled: return ScriptedReply(begun + [.hang])
    case .whole, .cancelled, .truncated: return ScriptedReply(begun + [.close])
    }
  }

  /// Without a declared length.
  private static func chunked(_ body: Data) -> ScriptedReply {
    var pieces: [Data] = []
    var rest = body
    while !rest.isEmpty {
      pieces.append(rest.prefix(10_000))
      rest = rest.dropFirst(10_000)
    }
    return .chunked(pieces)
  }
}
