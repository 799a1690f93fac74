import CalotypeImaging
import CalotypeSupport
import FoundationEssentials

/// The inputs that have killed a worker: refused at once for ten minutes, at most 1,024 of them.
///
/// Their hashes are computed only for inputs of the same length, so that inputs cost nothing as long as none has killed.
struct Quarantine {
  static let capacity = 1024
  static let duration = Duration.seconds(600)

  private struct Entry {
    let digest: [UInt8]
    let error: ImagingError
    let end: MonotonicTime
  }

  /// The entries by the lengths of their inputs.
  private var entries: [Int: [Entry]] = [:]
  /// The lengths in the order of their addition, the oldest first.
  private var order: [Int] = []

  /// The number of entries.
  var count: Int { order.count }

  /// Returns true if a hash is needed to decide.
  func concerns(byteCount: Int) -> Bool { entries[byteCount] != nil }

  /// Returns the error of an input.
  func error(for digest: [UInt8], byteCount: Int, now: MonotonicTime) -> ImagingError? {
    entries[byteCount]?.first { $0.digest == digest && $0.end > now }?.error
  }

  /// Adds an input; the oldest one leaves.
  mutating func add(_ digest: [UInt8], byteCount: Int, error: ImagingError, now: MonotonicTime) {
    if self.error(for: digest, byteCount: byteCount, now: now) != nil { return }
    if order.count >= Self.capacity { removeOldest() }
    entries[byteCount, default: []].append(
      Entry(digest: digest, error: error, end: now.advanced(by: Self.duration)))
    order.append(byteCount)
  }

  private mutating func removeOldest() {
    let length = order.removeFirst()
    entries[length]?.removeFirst()
    if entries[length]?.isEmpty ?? false { entries[length] = nil }
  }
}
