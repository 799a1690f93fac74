import Calotype

/// The playback of the content of a slot. It ends with the content.
final class SlotPlayback: Sendable {
  let player: AnimationPlayer
  let tasks = TaskBag()

  init(_ player: AnimationPlayer) {
    self.player = player
  }

  /// Ends the playback, and releases its frames.
  func end() {
    tasks.cancel()
    player.stop()
  }
}
