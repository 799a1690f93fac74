import CalotypeSupport
import FoundationEssentials

/// The offset of the server's clock from ours. Pure.
///
/// Servers refuse signatures that are 15 minutes off. The `Date` of such a refusal tells the offset, which is then used for
/// all signatures.
struct BucketClock: Hashable, Sendable {
  /// Seconds to add to our time.
  private(set) var offset = 0

  /// The least difference that explains a refusal.
  static let tolerance = 60

  /// Learns from a refusal.
  ///
  /// - Parameters:
  ///   - date: The `Date` field of the answer.
  ///   - used: The offset that the refused signature was made with.
  ///   - now: Our time.
  /// - Returns: Whether another signature is worth a try: not if the offset was right, so that a server that always refuses
  ///   is asked twice at most.
  mutating func refused(date: String?, used: Int, now: Date) -> Bool {
    // Another request may have learned it meanwhile.
    if offset != used { return true }
    guard let seconds = Int(exactly: now.timeIntervalSince1970.rounded(.down)), let date,
      let theirs = HTTPDate(date, now: seconds)
    else { return false }
    let measured = theirs.secondsSince1970 - seconds
    guard abs(measured - offset) > Self.tolerance else { return false }
    offset = measured
    return true
  }
}
