import Calotype

/// The frames of an animation, each delivered when it is due. Created by ``AnimationPlayer/frames()``.
public struct PlaybackFrames: AsyncSequence, Sendable {
  /// The frames.
  public typealias Element = AnimationFrame

  fileprivate let player: AnimationPlayer

  /// Creates an iterator, which starts playback with its first `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(player: player)
  }

  /// An iterator over the frames, for one task.
  public struct Iterator: AsyncIteratorProtocol {
    private enum Phase {
      case idle
      case playing(PlaybackSession)
      case ended
    }

    private let player: AnimationPlayer
    private var phase = Phase.idle

    fileprivate init(player: AnimationPlayer) {
      self.player = player
    }

    /// Returns the next frame, when it is due; `nil` when the last one has been shown for its duration.
    ///
    /// - Throws: `ImagingError` of a frame that cannot be decoded; the error of an arriving animation;
    ///   `CancellationError` when the task is cancelled.
    public mutating func next() async throws -> AnimationFrame? {
      let session: PlaybackSession
      switch phase {
      case .idle: session = player.open()
      case .playing(let current): session = current
      case .ended: return nil
      }
      // If it throws, the iteration has ended.
      phase = .ended
      guard let frame = try await session.next() else { return nil }
      phase = .playing(session)
      return frame
    }
  }
}

extension AnimationPlayer {
  /// Plays the animation: returns the sequence of its frames, each delivered when it is due.
  ///
  /// A consumer that is early waits until the frame is due; one that is late gets the frames that
  /// ``lateFrames`` keeps. One iterator at a time takes frames: a new one ends the previous one, and begins
  /// with its current frame, or anew after the last loop. Releasing the iterator (`break`), or cancelling
  /// its task, stops all decoding.
  public func frames() -> PlaybackFrames {
    PlaybackFrames(player: self)
  }
}
