import Calotype
import CalotypeCaching
import CalotypeImaging
import CalotypePlanning
import CalotypeResults
import CalotypeURLs
import FoundationEssentials

/// Loads images that options name by the rules of sources, and keeps some of them while they are fresh.
///
/// Equal loads are shared. A purge that selects an image makes the next request load it anew.
final class ImageShelf: Sendable {
  /// The most bytes of encoded images that a shelf keeps: 32 MiB.
  static let byteLimit = 32 << 20

  private let images: MemoryCache<ShelvedImage>?
  private let work = SharedWork<WorkKey, ShelvedImage>()
  private let fetcher: SourceFetcher
  private let store: ResultStore
  private let now: @Sendable () -> Date

  /// - Parameter limit: The most images that are kept.
  init(limit: Int, fetcher: SourceFetcher, store: ResultStore, now: @escaping @Sendable () -> Date) {
    images = limit > 0 ? MemoryCache(byteLimit: Self.byteLimit, countLimit: limit) : nil
    (self.fetcher, self.store, self.now) = (fetcher, store, now)
  }

  /// Returns an image that the options of an order name.
  ///
  /// - Throws: The failure of a source: ``Failure``, `CancellationError`.
  func image(_ named: NamedSource, for order: ImageOrder) async throws -> ShelvedImage {
    let order = order.order(for: named)
    let key = CacheKey(order.failureKey, source: order.source.text)
    let reloads = order.options.bypassesCache == true
    let generation = store.generation
    if !reloads, let image = images?.value(for: key), !image.isStale(at: now()),
      !store.wasPurged(order.identity, tags: order.options.cacheTags, since: image.generation)
    {
      return image
    }
    let shared = WorkKey(key: key, generation: generation, reloads: reloads)
    return try await work.value(for: shared) { [self] in
      let source = try await fetcher.bytes(for: order, purges: store)
      let info = try await fetcher.pipeline.header(of: source.data, order.rules)
      try Self.check(info, order.rules)
      let image = ShelvedImage(
        source: source, info: info, id: SourceBytes.digest(of: source.data), generation: generation)
      if source.isStorable { images?.store(image, for: key, cost: image.cost) }
      return image
    }
  }

  /// Compares an image with the limit of sources: the planner knows the size that it will have, not the one that is decoded.
  private static func check(_ info: ImageInfo, _ rules: ServingRules) throws(Failure) {
    let limit = rules.planner.policy.limits.sourcePixels
    guard info.size.width > 0, info.size.height > 0 else {
      throw Failure(.undecodable, detail: "an image that the URL names has no pixels")
    }
    guard info.size.pixelCount <= limit else {
      throw Failure(
        .sourceTooLarge,
        detail: "an image that the URL names has \(info.size.pixelCount) pixels, and \(limit) are allowed")
    }
  }
}

extension ImageOrder {
  /// The order for an image that the options name, as far as loading needs it.
  func order(for named: NamedSource) -> ImageOrder {
    var options = options
    // The digest is that of the source.
    options.hashsum = nil
    let text = named.source.text
    return ImageOrder(
      options: options, source: named.source,
      identity: ResultIdentity(key: CacheKey("named\n" + text, source: text)), accept: accept, hints: hints,
      passedFields: named.passedFields, rules: rules)
  }
}
