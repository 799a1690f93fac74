import Calotype

/// The target of a load: a request, and the variant that it is for.
struct SlotTarget: Sendable {
  var request: ImageRequest
  var variant: ImageVariants.Variant?
  /// Whether the image is only available if it was cached before.
  var isCached = false

  /// Returns whether the target is a better variant than the one that is shown or being loaded.
  func isBetter(than state: SlotState) -> Bool {
    guard let present = state.variant, let variant, state.phase != .failed else { return true }
    return variant > present
  }
}
