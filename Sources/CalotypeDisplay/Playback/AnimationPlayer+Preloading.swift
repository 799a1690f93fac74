import Calotype
import CalotypeImaging

extension AnimationPlayer {
  /// Whether all frames of the animation are decoded and held by the pool. False while frames are still arriving.
  public var allFramesLoaded: Bool {
    let timeline = source.timeline
    return timeline.isComplete && pool.count(of: source) >= timeline.count
  }

  /// Decodes frames in advance, from the current one on in the order of playback, and keeps them until
  /// ``unload()``, ``stop(rewinds:)``, a time of inactivity, or the release of the player.
  ///
  /// The frames count towards the share of the player in the budget of its ``FramePool``: a preload holds no
  /// more than that share, less the frames that the player shows next. Frames that the pool holds already are
  /// not decoded again. Of an animation that is still arriving, the available frames are decoded. A later call
  /// replaces an earlier one, which then returns.
  ///
  /// - Parameter budget: The maximum number of bytes of pixels to hold. Holds nothing if a frame is larger.
  /// - Returns: Whether all frames are loaded, as ``allFramesLoaded``. False also while the player is not active.
  /// - Throws: The error of the first frame that cannot be decoded; `CancellationError` when the task is
  ///   cancelled. The frames before it are kept.
  @discardableResult
  public func preload(budget: Int = .max) async throws -> Bool {
    guard isActive else { return false }
    let frames = position.everyFrame(count: source.timeline.count)
    let claim = pool.makeClaim(on: source, owner: owner, budget: max(0, budget))
    claim.activate()
    // Registered before an earlier preload ends: otherwise its frames would be removed with it.
    claim.want(frames)
    // It may have become inactive meanwhile.
    guard keep(claim) else { return false }
    for (place, frame) in frames.enumerated() {
      guard place < claim.room else { break }
      do {
        try Task.checkCancellation()
        switch claim.ask(for: frame.index, wanted: nil) {
        case .image: continue
        case .waits(let waiter): if try await waiter.image() == nil { return allFramesLoaded }
        case .inactive: return allFramesLoaded
        }
      } catch {
        // No further frames are decoded for it.
        claim.want(Array(frames.prefix(place)))
        throw error
      }
    }
    return allFramesLoaded
  }

  /// Releases the preloaded frames, and all others of the animation that no player shows next.
  public func unload() {
    takePreload()?.deactivate()
    pool.removeUnwanted(of: source)
  }
}
