import CalotypeImaging
import CalotypeSupport
import FoundationEssentials

/// The decoded images that are alive, by the bytes that they were made from: equal bytes from several URLs are decoded
/// once.
///
/// Images are not held: one that no cache and no caller holds any more is decoded again.
final class SharedImages: Sendable {
  /// The identity of the pixels: bytes, options and coders. Partitions share nothing.
  struct Key: Hashable, Sendable {
    let content: KeyedHash
    let byteCount: Int
    let form: String
    let partition: String?
  }

  private typealias Recall = @Sendable () -> Image?

  private let recalls = Lock<[Key: Recall]>([:])
  /// The most images.
  private let limit: Int

  init(limit: Int = 4096) {
    self.limit = max(1, limit)
  }

  /// Returns the image of a key, if it is alive.
  func image(for key: Key) -> Image? {
    guard let recall = recalls.withLock({ $0[key] }) else { return nil }
    return recall()
  }

  /// Adds an image.
  func add(_ image: Image, for key: Key) {
    let recall = image.recall
    let isFull = recalls.withLock { recalls in
      recalls[key] = recall
      return recalls.count > limit
    }
    guard isFull else { return }
    // Outside the lock: an image that is recalled may be released here.
    let dead = recalls.withLock { $0 }.filter { $0.value() == nil }
    recalls.withLock { recalls in
      for key in dead.keys { recalls[key] = nil }
      while recalls.count > limit, let any = recalls.keys.first { recalls[any] = nil }
    }
  }

  /// The number of images, including those that are not alive any more.
  var count: Int { recalls.withLock { $0.count } }
}
