import CalotypeSupport

/// The latest records by their payloads, of which later records with equal ones may share the files.
///
/// A record may have been removed or replaced since: a record that is found is compared byte by byte.
struct PayloadTable: Sendable {
  /// What equal payloads have in common. Others may have it, too.
  struct Key: Hashable, Sendable {
    let checksum: UInt64
    let length: Int
  }

  /// The most payloads, of which the oldest are forgotten.
  static let capacity = 1 << 13

  /// The record that was stored with the payload, and the latest that shares it: one may be replaced and the other not.
  struct Owners: Equatable, Sendable {
    var first: Digest256
    var latest: Digest256
  }

  private var owners: [Key: Owners] = [:]
  /// The keys in the order of their arrival, as a ring.
  private var keys: [Key] = []
  private var next = 0

  /// The number of payloads.
  var count: Int { owners.count }

  /// Returns the records that had such a payload.
  subscript(key: Key) -> Owners? { owners[key] }

  /// Notes the payload of a record.
  ///
  /// - Parameters:
  ///   - key: The payload.
  ///   - digest: The record.
  ///   - first: The record whose payload it shares; `nil` when it has its own.
  mutating func note(_ key: Key, of digest: Digest256, sharedWith first: Digest256?) {
    let entry = Owners(first: first ?? digest, latest: digest)
    guard owners.updateValue(entry, forKey: key) == nil else { return }
    guard keys.count == Self.capacity else { return keys.append(key) }
    owners[keys[next]] = nil
    keys[next] = key
    next = (next + 1) % Self.capacity
  }
}
