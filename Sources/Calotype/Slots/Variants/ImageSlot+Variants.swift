import FoundationEssentials

extension ImageSlot {
  /// Gives up the load before, and shows the best variant of a picture that the network suggests: ``VariantPlan``. Offline
  /// nothing is asked for. When the network gets better, a better variant follows, until the owner of the slot does
  /// something else.
  ///
  /// Until then the slot shows the best variant that is in memory, else the placeholder. ``State/variant`` says which variant it is
  /// about; if there is none to be had, it fails with ``PipelineError/notCached(_:)``.
  ///
  /// - Parameters:
  ///   - variants: What there is.
  ///   - network: What loading costs.
  ///   - preference: What the user wants; asked each time there is something to choose.
  ///   - placeholder: What to show until then, instead of what the options say.
  ///   - options: How to show it, instead of what the slot says.
  /// - Returns: How it ended with what was chosen first.
  @discardableResult
  public func load(
    _ variants: ImageVariants, network: any NetworkConditionProviding,
    preference: @escaping @Sendable () -> VariantPreference = { .automatic },
    placeholder: Placeholder? = nil, options: Options? = nil
  ) -> Load {
    var options = merged(placeholder, options)
    options.failurePlaceholder = options.failurePlaceholder ?? options.placeholder
    let inMemory = variants.all.dropFirst().compactMap { variants[$0] }.map { Placeholder.cached($0) }
    options.placeholder = .first(inMemory + [options.placeholder])
    let choice = VariantChoice(variants, network: network, preference: preference)
    return Load(load: core.begin(choice, options), core: core)
  }
}

/// Chooses a variant by what is cached, what the network costs and what the user wants.
struct VariantChoice: Sendable {
  let variants: ImageVariants
  let network: any NetworkConditionProviding
  let preference: @Sendable () -> VariantPreference

  init(
    _ variants: ImageVariants, network: any NetworkConditionProviding,
    preference: @escaping @Sendable () -> VariantPreference
  ) {
    self.variants = variants
    self.network = network
    self.preference = preference
  }

  var original: SlotTarget { SlotTarget(request: variants.original, variant: .original) }

  /// What to load; `nil` when there is nothing to be had.
  func target(_ condition: NetworkCondition, _ pipeline: ImagePipeline) async -> SlotTarget? {
    var cached: Set<ImageVariants.Variant> = []
    for variant in variants.all {
      guard let request = variants[variant] else { continue }
      if await pipeline.has(request) {
        cached.insert(variant)
        // The best decides.
        break
      }
    }
    let plan = VariantPlan.choose(
      among: variants, cached: cached, condition: condition, preference: preference())
    guard let variant = plan.variant, var request = variants[variant] else { return nil }
    // What needs no network is in no cache either.
    if case .cached = plan, !request.needsNoNetwork { request.cachePolicy = .cacheOnly }
    return SlotTarget(request: request, variant: variant)
  }
}

extension ImagePipeline {
  /// Whether an image can be had without the network.
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
