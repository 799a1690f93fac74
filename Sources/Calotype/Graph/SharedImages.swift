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

  /// Adds an image, unless more than its pixels takes memory: only they are not held.
  func add(_ image: Image, for key: Key) {
    guard image.isSmallWithoutPixels else { return }
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
      // Seldom: so many images are alive. The table begins anew, rather than being searched for each of them.
      if recalls.count > limit / 2 { recalls = [key: recall] }
    }
  }

  /// Forgets all images.
  func removeAll() {
    recalls.withLock { $0 = [:] }
  }

  /// The number of images, including those that are not alive any more.
  var count: Int { recalls.withLock { $0.count } }
}

extension Image {
  fileprivate var isSmallWithoutPixels: Bool {
    if case .icc? = profile { return false }
    return metadata.exif == nil && metadata.xmp == nil && info?.durations.count ?? 0 <= 64
  }
}
