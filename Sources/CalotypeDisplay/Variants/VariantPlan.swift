import Calotype

/// The choice among several variants of an image.
public enum VariantPlan: Hashable, Sendable {
  /// Load the variant, or use a cached one, by the cache policy of its request.
  case load(ImageVariants.Variant)
  /// Use a cached variant, fresh or stale, without asking the server.
  case cached(ImageVariants.Variant)
  /// No variant is available: show the placeholder.
  case placeholder

  /// The variant to show; `nil` for none.
  public var variant: ImageVariants.Variant? {
    switch self {
    case .load(let variant), .cached(let variant): variant
    case .placeholder: nil
    }
  }

  /// Chooses a variant:
  ///
  /// | network | original cached | otherwise |
  /// | --- | --- | --- |
  /// | unmetered | the original | the original is loaded |
  /// | metered | the original, as it is cached | the best that is cached; with none, the thumbnail is loaded. If the original is preferred, that is loaded |
  /// | offline | the original, as it is cached | the best that is cached; with none, the placeholder |
  ///
  /// On metered networks cached images are not revalidated, because a stale original might have to be loaded again.
  ///
  /// - Parameters:
  ///   - variants: The variants.
  ///   - cached: The variants that are in a cache.
  ///   - condition: The cost of loading.
  ///   - preference: The preference of the user.
  public static func choose(
    among variants: ImageVariants, cached: Set<ImageVariants.Variant>, condition: NetworkCondition,
    preference: VariantPreference = .automatic
  ) -> VariantPlan {
    let best = variants.all.first { cached.contains($0) }
    switch (condition, best) {
    case (.unmetered, _): return .load(.original)
    case (.metered, .original?): return .cached(.original)
    case (.metered, _) where preference == .original: return .load(.original)
    case (.metered, let best?), (.offline, let best?): return .cached(best)
    case (.metered, nil): return .load(.thumbnail)
    case (.offline, nil): return .placeholder
    }
  }
}
