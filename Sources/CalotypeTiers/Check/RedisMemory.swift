/// The limit of a server's memory, and what it does there. Pure.
struct RedisMemory: Hashable, Sendable {
  /// In bytes; 0 for no limit, `nil` if the server does not tell.
  private(set) var limit: Int?
  /// In bytes.
  private(set) var used: Int?
  /// Such as `allkeys-lru`.
  private(set) var policy = ""

  /// The most bytes of `INFO` that are read.
  private static let maxLength = 64 << 10

  /// Reads the answer to `INFO memory`: lines of names and values.
  init(info: [UInt8]) {
    for line in info.prefix(Self.maxLength).split(whereSeparator: { $0 == 13 || $0 == 10 }) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = RedisProbes.word(Array(line[(colon + 1)...]))
      switch String(decoding: line[..<colon], as: UTF8.self) {
      case "maxmemory": limit = Int(value).flatMap { $0 >= 0 ? $0 : nil }
      case "used_memory": used = Int(value).flatMap { $0 >= 0 ? $0 : nil }
      case "maxmemory_policy": policy = value
      default: break
      }
    }
  }

  var outcome: TierFinding.Outcome {
    guard let limit else {
      return .cannot("the server tells no limit", "set maxmemory and maxmemory-policy allkeys-lru")
    }
    let use = used.map { "\(Self.mebibytes($0)) of " } ?? ""
    let text = limit == 0 ? "no limit" : "\(use)\(Self.mebibytes(limit)), \(policy)"
    if limit == 0 {
      return .warning(
        text,
        "leases need less than 1 MiB, but records that are kept in Redis may fill the machine: set maxmemory and allkeys-lru"
      )
    }
    switch policy {
    case "noeviction", "":
      return .warning(
        text,
        "once it is full, leases and values are refused, and each node works for itself: use allkeys-lru")
    case "volatile-ttl":
      return .warning(
        text,
        "leases have the shortest lifetime and are evicted first, so that work is done twice: use allkeys-lru"
      )
    case "allkeys-random", "volatile-random":
      return .warning(text, "leases may be evicted while they are held, so that work is done twice")
    // All keys have a lifetime but the number of purges, which the log restores.
    default: return .ok(text)
    }
  }

  private static func mebibytes(_ count: Int) -> String {
    "\((count >> 20) + (count & 0xF_FFFF > 0 ? 1 : 0)) MiB"
  }
}
