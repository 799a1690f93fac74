import Calotype
import CalotypeImaging

/// Animations that play in the slot.
extension SlotDriver {
  /// The work that follows from a change of the state, besides its effects.
  struct Change: Sendable {
    var effects = SlotStateMachine.Effects.none
    /// The playback whose content is no longer shown.
    private(set) var leftPlayback: SlotPlayback?
    /// The search whose result is no longer needed.
    private(set) var leftSearch: PlaceholderSearch?
    /// The search that has begun.
    private(set) var search: PlaceholderSearch?
    /// The animation to play.
    private(set) var playable: SlotStateMachine.Playable?

    init(before machine: SlotStateMachine) {
      leftPlayback = machine.playback
      leftSearch = machine.search
    }

    mutating func complete(_ machine: inout SlotStateMachine) {
      if leftPlayback === machine.playback { leftPlayback = nil }
      if leftSearch === machine.search { leftSearch = nil } else { search = machine.search }
      playable = machine.takePlayable()
    }
  }

  /// Plays the animation of the content: continues after a pause, and begins again after the end.
  ///
  /// - Returns: Whether the content is an animation.
  func play() -> Bool {
    let machine = machine.value
    if let playback = machine.playback {
      playback.player.resume()
      if machine.isPlayed {
        start(SlotPlayback(playback.player), of: machine.contentNumber, after: playback)
      }
      return true
    }
    guard let animation = machine.animation else { return false }
    play(SlotStateMachine.Playable(animation: animation, content: machine.contentNumber))
    return true
  }

  /// Plays an animation, unless it is no longer the content, or is played already.
  func play(_ playable: SlotStateMachine.Playable) {
    let animation = playable.animation
    let player = AnimationPlayer(animation.image, pool: animation.pool, clock: clock)
    start(SlotPlayback(player), of: playable.content)
  }

  /// Plays in place of the content.
  func show(_ player: AnimationPlayer) {
    let playback = SlotPlayback(player)
    if apply({ $0.replace(with: playback) }).isDone { run(playback) }
  }

  /// Begins a playback in place of another one, or of none.
  private func start(_ playback: SlotPlayback, of content: Int, after previous: SlotPlayback? = nil) {
    if apply({ $0.begin(playback, of: content, after: previous) }).isDone { run(playback) }
  }

  private func run(_ playback: SlotPlayback) {
    followVisibility()
    playback.tasks.add(
      Task(priority: ImageRequest.Priority.high.taskPriority) { @concurrent in await self.follow(playback) })
  }

  /// Shows the frames of a playback, until its end or another content.
  private func follow(_ playback: SlotPlayback) async {
    // Not played in place of a later playback of the same player.
    if Task.isCancelled { return }
    do {
      for try await frame in playback.player.frames() {
        guard apply({ $0.show(frame, of: playback) }).isDone else { return }
      }
      apply { $0.end(playback, nil) }
    } catch {
      apply { $0.end(playback, error) }
    }
  }

  // MARK: Visibility

  func addWatchers(_ count: Int) {
    apply { $0.addWatchers(count) }
    followVisibility()
  }

  func setVisible(_ isVisible: Bool) {
    apply { $0.setVisible(isVisible) }
    followVisibility()
  }

  /// Pauses the playback while the slot is not watched. Concurrent calls are safe: the last one to set the player looks
  /// again.
  private func followVisibility() {
    while true {
      let seen = machine.value
      guard let playback = seen.playback else { return }
      if playback.player.isActive != seen.isWatched { playback.player.isActive = seen.isWatched }
      let now = machine.value
      if now.isWatched == seen.isWatched, now.playback === playback { return }
    }
  }
}
