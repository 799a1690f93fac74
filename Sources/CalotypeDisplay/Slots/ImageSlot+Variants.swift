import Calotype

extension ImageSlot {
  /// Gives up the load before, and shows the best variant of a picture that the network suggests: ``VariantPlan``.
  /// Offline nothing is asked for. What turns out not to be in a cache after all is left out, and chosen without. When
  /// the network gets better, a better variant follows, until the original is there or the owner of the slot does
  /// something else; when it has changed while a load was on its way that fails, that load chooses again.
  ///
  /// Until then, and if that fails, the slot shows the best variant that is in memory, else the placeholder.
  /// ``State/variant`` says which variant is being loaded, ``State/shownVariant`` which is shown; if there is none to
  /// be had, it fails with ``PipelineError/notCached(_:)``.
  ///
  /// - Parameters:
  ///   - variants: What there is.
  ///   - network: What loading costs.
  ///   - preference: What the user wants; asked each time there is something to choose.
  ///   - placeholder: What to show until then, instead of what the options say.
  ///   - options: How to show it, instead of what the slot says.
  /// - Returns: How the first load ended, or the better one that has taken over before it did.
  @discardableResult
  public func load(
    _ variants: ImageVariants, network: any NetworkConditionProviding,
    preference: @escaping @Sendable () -> VariantPreference = { .automatic },
    placeholder: Placeholder? = nil, options: Options? = nil
  ) -> Load {
    var options = merged(placeholder, options)
    let inMemory = variants.all.dropFirst().compactMap { variants[$0] }.map { Placeholder.cached($0) }
    options.placeholder = .first(inMemory + [options.placeholder])
    let choice = VariantChoice(variants, network: network, preference: preference)
    return Load(load: core.begin(choice, options), core: core)
  }
}
