public import CalotypeCaching
import CalotypeSupport

/// Announces the numbers of entries of the log of purges by Redis, and makes them for storages without conditional writes.
public final class RedisPurgeChannel: PurgeAnnouncing {
  private let client: RedisClient

  /// Creates a channel.
  public init(_ client: RedisClient) {
    self.client = client
  }

  /// Publishes a number; nothing happens when that fails, because other nodes poll.
  public func announce(_ number: Int) async {
    _ = try? await client.send(
      RESPCommand([Array("PUBLISH".utf8), Array(client.name("purge").utf8), Array(String(number).utf8)]))
  }

  /// Registers the function that gets published numbers; the last one counts.
  public func receive(_ body: @escaping @Sendable (_ number: Int) -> Void) {
    client.shared.subscribe(client.name("purge")) { payload in
      if let number = Self.parse(payload) { body(number) }
    }
  }

  /// Returns a number from Redis that is larger than `number`, also after Redis has lost its own.
  public func nextNumber(after number: Int) async throws(CachingError) -> Int {
    let least = Array(String(max(0, number)).utf8)
    do throws(RedisError) {
      let reply = try await client.run(Self.count, keys: [client.name("purge-number")], arguments: [least])
      guard let next = reply.integer.flatMap({ Int(exactly: $0) }), next > number,
        next <= PurgeTable.highestNumber
      else {
        throw .unexpectedReply
      }
      return next
    } catch {
      throw CachingError(error, operation: "purge")
    }
  }

  /// Reads a message: the digits of a number.
  static func parse(_ payload: [UInt8]) -> Int? {
    guard (1...16).contains(payload.count), payload.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(String(decoding: payload, as: UTF8.self)),
      (1...PurgeTable.highestNumber).contains(number)
    else { return nil }
    return number
  }

  /// Keys: the last number. Arguments: the least. Answers the next one.
  static let count = RedisScript(
    """
    local n = tonumber(redis.call('GET', KEYS[1]) or '0')
    if n < tonumber(ARGV[1]) then n = tonumber(ARGV[1]) end
    n = n + 1
    redis.call('SET', KEYS[1], string.format('%d', n))
    return n
    """)
}
