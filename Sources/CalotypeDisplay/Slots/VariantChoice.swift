import Calotype
import CalotypeSupport
import FoundationEssentials

/// Chooses a variant by the caches, the network and the preference of the user.
struct VariantChoice: Sendable {
  let variants: ImageVariants
  let network: any NetworkConditionProviding
  let preference: @Sendable () -> VariantPreference
  /// The variants that seemed to be cached but were unavailable: because of a remembered failure, damaged
  /// bytes, or an entry evicted meanwhile.
  private let lost = Lock<Set<ImageVariants.Variant>>([])

  init(
    _ variants: ImageVariants, network: any NetworkConditionProviding,
    preference: @escaping @Sendable () -> VariantPreference
  ) {
    self.variants = variants
    self.network = network
    self.preference = preference
  }

  /// Returns the target to load now.
  ///
  /// - Throws: `PipelineError.notCached(_:)` when no variant is available.
  func target(_ pipeline: ImagePipeline) async throws(PipelineError) -> SlotTarget {
    let lost = lost.withLock { $0 }
    var cached: Set<ImageVariants.Variant> = []
    for variant in variants.all where !lost.contains(variant) {
      guard let request = variants[variant], await pipeline.has(request) else { continue }
      cached.insert(variant)
      // The best variant decides.
      break
    }
    let plan = VariantPlan.choose(
      among: variants, cached: cached, condition: network.current, preference: preference())
    guard let variant = plan.variant, var request = variants[variant] else {
      throw .notCached(variants.original.source.description)
    }
    let isCached = plan == .cached(variant)
    // Images that need no network are in no cache.
    if isCached, !request.needsNoNetwork { request.cachePolicy = .cacheOnly }
    return SlotTarget(request: request, variant: variant, isCached: isCached)
  }

  /// Records whether a cached variant was unavailable. A lost variant is not chosen as cached again until
  /// it has been loaded.
  func note(_ target: SlotTarget, isLost: Bool) {
    guard let variant = target.variant else { return }
    lost.withLock { lost in
      if isLost { lost.insert(variant) } else { lost.remove(variant) }
    }
  }
}

extension ImagePipeline {
  /// Returns whether an image seems to be available without the network. Only loading it gives certainty.
  fileprivate nonisolated func has(_ request: ImageRequest) async -> Bool {
    if request.needsNoNetwork { return true }
    return await !cache.tiers(of: request).isEmpty
  }
}

extension ImageRequest {
  /// Whether the bytes are in this program or in a file.
  fileprivate var needsNoNetwork: Bool {
    guard case .url(let url) = source else { return true }
    return ["file", "data"].contains(url.scheme?.lowercased())
  }
}
