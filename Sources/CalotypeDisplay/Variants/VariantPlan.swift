import Calotype

/// What to do for a picture that there is in several variants.
public enum VariantPlan: Hashable, Sendable {
  /// Have it loaded, or take it out of a cache, as its request says.
  case load(ImageVariants.Variant)
  /// Take it out of a cache, however old, without asking anybody.
  case cached(ImageVariants.Variant)
  /// There is none to be had.
  case placeholder

  /// Which variant to show; `nil` for none.
  public var variant: ImageVariants.Variant? {
    switch self {
    case .load(let variant), .cached(let variant): variant
    case .placeholder: nil
    }
  }

  /// The choice:
  ///
  /// | network | original cached | otherwise |
  /// | --- | --- | --- |
  /// | unmetered | the original | the original is loaded |
  /// | metered | the original, as it is cached | the best that is cached; with none, the thumbnail is loaded. If the original is preferred, that is loaded |
  /// | offline | the original, as it is cached | the best that is cached; with none, the placeholder |
  ///
  /// What is cached is taken as it is wherever asking costs something: a stale original might have to be loaded again.
  ///
  /// - Parameters:
  ///   - variants: What there is.
  ///   - cached: Which of them are in a cache.
  ///   - condition: What loading costs.
  ///   - preference: What the user wants.
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
