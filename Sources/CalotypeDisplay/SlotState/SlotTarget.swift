import Calotype

/// What a load is about.
struct SlotTarget: Sendable {
  var request: ImageRequest
  var variant: ImageVariants.Variant?
  /// Whether it is only there if it was cached before.
  var isCached = false

  /// Whether it is more than what is there or on its way.
  func isBetter(than state: SlotState) -> Bool {
    guard let present = state.variant, let variant, state.phase != .failed else { return true }
    return variant > present
  }
}
