import Calotype
import CalotypeImaging

/// The animation of the content of a slot.
struct SlotAnimation: Sendable {
  let image: AnimatedImage
  let pool: FramePool
  /// Whether it is played without a call of the owner.
  let autoplays: Bool

  /// Returns the animation of a content; `nil` for a still image.
  init?(_ content: SlotState.Content, _ options: SlotOptions) {
    switch content {
    case .image(let response), .stale(let response):
      guard let animation = response.animation else { return nil }
      image = animation
    case .nothing, .placeholder, .preview, .given: return nil
    }
    pool = options.framePool
    autoplays = options.autoplay
  }
}

extension SlotStateMachine {
  /// An animation to play.
  struct Playable: Sendable {
    let animation: SlotAnimation
    /// The number of the content that it belongs to.
    let content: Int
  }
}
