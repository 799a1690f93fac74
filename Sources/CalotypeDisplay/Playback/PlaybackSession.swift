import Calotype
import CalotypeImaging
import CalotypeSupport

/// The next step of a session, and the state from which it was decided.
struct PlaybackStep: Sendable {
  let action: Playhead.Action
  let version: Int
  let path: PlaybackPath?
  let rules: PlaybackPath.Rules
}

/// An iteration over the frames of a player. Its claim on the pool is given up when it ends or is released.
final class PlaybackSession: Sendable {
  /// Raised after every change that the session has to evaluate.
  let signal = ChangeSignal()
  private let player: AnimationPlayer
  private let claim: FrameClaim
  /// The version of the player's state for which frames were last requested; `nil` when the pool has no
  /// request.
  private let claimedVersion = Lock(Int?.none)

  init(_ player: AnimationPlayer, claim: FrameClaim) {
    self.player = player
    self.claim = claim
  }

  /// Ends the wait for a frame that is no longer the next one.
  func interrupt() {
    claim.interrupt()
    signal.raise()
  }

  func setActive(_ isActive: Bool) {
    if isActive { claim.activate() } else { claim.deactivate() }
  }

  /// Returns the next frame, when it is due; `nil` at the end.
  ///
  /// - Throws: The error of the coder; `CancellationError` when the task is cancelled.
  func next() async throws -> AnimationFrame? {
    while true {
      try Task.checkCancellation()
      guard let step = player.step(for: self) else { return nil }
      switch step.action {
      case .end: return nil
      case .fail(let error): throw error
      case .wait(let deadline):
        wantAgain(step)
        try await wait(until: deadline)
      case .show(let path):
        claimedVersion.withLock { $0 = step.version }
        guard let image = try await image(at: path, step) else { continue }
        if let frame = player.show(image, version: step.version, for: self) { return frame }
      }
    }
  }

  /// Returns a frame; `nil` when the next step has to be evaluated again.
  private func image(at path: PlaybackPath, _ step: PlaybackStep) async throws -> Image? {
    switch claim.ask(for: path.index, wanted: path.upcoming(step.rules, limit: claim.share)) {
    case .image(let image): return image
    case .waits(let waiter):
      // A change before the request registered its waiter has not interrupted it.
      if !player.holds(step, for: self) { waiter.end(.interrupted) }
      return try await waiter.image()
    case .inactive:
      // The signal is raised once the claim matches the state of the player.
      await signal.wait()
      return nil
    }
  }

  /// Requests frames again that were not requested yet: after another mode was set, or a time of
  /// inactivity.
  private func wantAgain(_ step: PlaybackStep) {
    guard let path = step.path else { return }
    let isNew = claimedVersion.withLock { version in
      defer { version = step.version }
      return version != step.version
    }
    if isNew { claim.want(path.upcoming(step.rules, limit: claim.share)) }
  }

  private func wait(until deadline: Duration?) async throws {
    guard let deadline else { return await signal.wait() }
    let (signal, clock) = (signal, player.clock)
    try await withThrowingTaskGroup { group in
      group.addTask { try await clock.sleep(deadline) }
      group.addTask { await signal.wait() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
