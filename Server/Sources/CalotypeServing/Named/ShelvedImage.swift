import CalotypeImaging
import FoundationEssentials

/// An image that an option names, as its origin sent it.
struct ShelvedImage: Sendable {
  /// The bytes, with what the origin says of them.
  let source: SourceBytes
  /// The header.
  let info: ImageInfo
  /// A digest of the bytes.
  let id: String
  /// The generation of purges in which its load began.
  let generation: Int

  /// Returns whether the origin has to be asked.
  func isStale(at now: Date) -> Bool { source.freshUntil.map { $0 <= now } ?? false }

  /// The bytes in a cache, with the overhead of an entry.
  var cost: Int { source.data.count + 2048 }
}
