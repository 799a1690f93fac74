import CalotypeCaching
import FoundationEssentials

extension RecordMetadata {
  /// Lets the record expire this long after `now`, unless it expires earlier; `nil` changes nothing.
  mutating func expire(after age: Duration?, from now: Date) {
    guard let age else { return }
    // Half a lifetime, so that no time exceeds what a record can carry.
    let end = now + min(max(0, age / .seconds(1)), 1e9)
    expires = min(expires ?? end, end)
  }
}
