import Calotype

extension ImageSlot {
  /// Loads the variant of an image that suits the network, by ``VariantPlan``, in place of the previous
  /// load. Offline, no server is asked. A variant that turns out not to be cached is excluded from the
  /// choice. When the network improves, a better variant follows, until the original is shown or the owner
  /// uses the slot for another purpose. If a load fails after the network has changed, it chooses again.
  ///
  /// Until then, and if the load fails, the slot shows the best variant that is in memory, else the
  /// placeholder. ``SlotState/variant`` is the variant that is being loaded, ``SlotState/shownVariant`` the
  /// one that is shown. Without any available variant, the load fails with `PipelineError.notCached(_:)`.
  ///
  /// - Parameters:
  ///   - variants: The variants.
  ///   - network: The source of the cost of loading.
  ///   - preference: The preference of the user, read at each choice.
  ///   - placeholder: The placeholder, instead of that of the options.
  ///   - options: The options, instead of those of the slot.
  /// - Returns: The load. It ends when the first load ends, or a better one that has taken over before.
  @discardableResult
  public func load(
    _ variants: ImageVariants, network: any NetworkConditionProviding,
    preference: @escaping @Sendable () -> VariantPreference = { .automatic },
    placeholder: Placeholder? = nil, options: Options? = nil
  ) -> Load {
    var options = merged(placeholder, options)
    let inMemory = variants.all.dropFirst().compactMap { variants[$0] }.map { request in
      var request = request
      request.readTiers = .memory
      return Placeholder.cached(request)
    }
    options.placeholder = .first(inMemory + [options.placeholder])
    let choice = VariantChoice(variants, network: network, preference: preference)
    return Load(load: core.begin(choice, options), core: core)
  }
}
