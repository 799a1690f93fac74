/// The cached sizes of each picture in a ``MemoryCache``, of entries with a ``MemoryTier/SizeVariant``.
struct SizeVariantIndex: Sendable {
  private struct Variant: Sendable {
    let digest: Digest256
    let width: Int
    let height: Int

    /// The product as a number that cannot overflow; used only for comparison.
    var area: Double { Double(width) * Double(height) }
  }

  private var families: [Digest256: [Variant]] = [:]

  mutating func insert(_ sizeVariant: MemoryTier.SizeVariant, _ digest: Digest256) {
    families[sizeVariant.family.digest, default: []]
      .append(Variant(digest: digest, width: sizeVariant.width, height: sizeVariant.height))
  }

  mutating func remove(_ sizeVariant: MemoryTier.SizeVariant, _ digest: Digest256) {
    let family = sizeVariant.family.digest
    guard let index = families[family]?.firstIndex(where: { $0.digest == digest }) else { return }
    families[family]?.remove(at: index)
    if families[family]?.isEmpty == true { families[family] = nil }
  }

  /// The sizes that are at least as wide and as high, fewest pixels first; O(sizes of the picture).
  func covering(_ sizeVariant: MemoryTier.SizeVariant) -> [Digest256] {
    (families[sizeVariant.family.digest] ?? [])
      .filter { $0.width >= sizeVariant.width && $0.height >= sizeVariant.height }
      .sorted { $0.area < $1.area }
      .map(\.digest)
  }
}
