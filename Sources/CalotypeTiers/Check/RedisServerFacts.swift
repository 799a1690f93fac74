/// The answer of a server to `HELLO 3`. Pure.
struct RedisServerFacts: Hashable, Sendable {
  private(set) var name = ""
  private(set) var version = ""
  private(set) var mode = ""
  private(set) var role = ""

  /// - Returns: `nil` if the reply is not that of a server with RESP3.
  init?(_ reply: RESPValue) {
    guard case .map(let parts) = reply else { return nil }
    var isThird = false
    for index in stride(from: 0, to: parts.count - 1, by: 2) {
      guard let key = parts[index].bytes.map({ String(decoding: $0, as: UTF8.self) }) else { continue }
      let text = parts[index + 1].bytes.map(RedisProbes.word) ?? ""
      switch key {
      case "proto": isThird = parts[index + 1].integer == 3
      case "server": name = text
      case "version": version = text
      case "mode": mode = text
      case "role": role = text
      default: break
      }
    }
    if !isThird { return nil }
  }

  var outcome: TierFinding.Outcome {
    let text = [name, version, mode, role].filter { !$0.isEmpty }.joined(separator: " ")
    if role == "replica" || role == "slave" {
      return .failed(
        text, "a replica refuses writes: name the primary", code: "redisRefused")
    }
    switch mode {
    case "cluster":
      return .cannot(
        text, "Calotype has one connection, and cannot follow to other nodes of a cluster: most leases fail")
    case "sentinel":
      return .failed(text, "a sentinel keeps no values: name the primary", code: "redisRefused")
    default: return .ok(text)
    }
  }
}
