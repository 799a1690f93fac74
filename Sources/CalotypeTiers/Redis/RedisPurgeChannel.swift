public import CalotypeCaching
import CalotypeSupport
public import FoundationEssentials

/// Announces entries of the log of purges by Redis, and numbers them for storages without conditional writes.
public final class RedisPurgeChannel: PurgeAnnouncing {
  private let client: RedisClient

  /// Creates a channel.
  public init(_ client: RedisClient) {
    self.client = client
  }

  /// Publishes an entry; nothing happens when that fails, because other nodes poll.
  public func announce(_ entry: Data, number: Int) async {
    let payload = Array("\(number) ".utf8) + entry
    _ = try? await client.send(
      RESPCommand([Array("PUBLISH".utf8), Array(client.name("purge").utf8), payload]))
  }

  /// Registers the function that gets published entries; the last one counts.
  public func receive(_ body: @escaping @Sendable (_ entry: Data, _ number: Int) -> Void) {
    client.shared.subscribe(client.name("purge")) { payload in
      guard let (number, entry) = Self.parse(payload) else { return }
      body(entry, number)
    }
  }

  /// Returns a number from Redis that is larger than `number`, also after Redis has lost its own.
  public func nextNumber(after number: Int) async throws(CachingError) -> Int {
    let least = Array(String(max(0, number)).utf8)
    do throws(RedisError) {
      let reply = try await client.run(Self.count, keys: [client.name("purge-number")], arguments: [least])
      guard let next = reply.integer.flatMap({ Int(exactly: $0) }), next > number else {
        throw .unexpectedReply
      }
      return next
    } catch {
      throw CachingError(error, operation: "purge")
    }
  }

  /// Splits a message: digits, a space, the entry.
  static func parse(_ payload: [UInt8]) -> (number: Int, entry: Data)? {
    let digits = payload.prefix(20).prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty, payload.count > digits.count, payload[digits.count] == 0x20,
      let number = Int(String(decoding: digits, as: UTF8.self)),
      (1...PurgeTable.highestNumber).contains(number)
    else { return nil }
    return (number, Data(payload[(digits.count + 1)...]))
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
