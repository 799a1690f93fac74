import Calotype

extension ImageSlot {
  /// Whether the slot can be seen; true by default. A table sets it to false for cells outside of the window.
  ///
  /// An animation plays while the slot is visible and watched, that is, while an iterator over its ``states``
  /// exists. Otherwise playback is paused, nothing is decoded, and the decoded frames are released, except for the
  /// one that is shown; then it continues with that frame.
  public var isVisible: Bool {
    get { core.machine.value.isVisible }
    set { core.setVisible(newValue) }
  }

  /// The player of the animation that is shown, to pause, seek, or preload; `nil` for a still image, and before
  /// ``play()`` without ``SlotOptions/autoplay``.
  ///
  /// The slot takes its frames and sets ``AnimationPlayer/isActive``. The end of the content ends the player.
  public var player: AnimationPlayer? { core.machine.value.playback?.player }

  /// Cancels the load, and plays an animation, such as one of the program's own (``FrameProviding``). It appears with its
  /// first frame. The player belongs to the slot until other content is shown, which stops it.
  public func show(_ player: AnimationPlayer) { core.show(player) }

  /// Plays the animation that is shown: continues after a pause, and begins again after the end.
  ///
  /// - Returns: Whether the content is an animation.
  @discardableResult
  public func play() -> Bool { core.play() }
}
