import Calotype

/// The frames of an animation, each handed over when it is to be shown. Made by ``AnimationPlayer/frames()``.
public struct PlaybackFrames: AsyncSequence, Sendable {
  /// The frames.
  public typealias Element = AnimationFrame

  fileprivate let player: AnimationPlayer

  /// Plays with the first `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(player: player)
  }

  /// Takes the frames. For one task.
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

    /// The next frame, when it is to be shown; `nil` when the last one has been shown for its time.
    ///
    /// - Throws: `ImagingError` of a frame that cannot be decoded; what an animation that arrives has failed with;
    ///   `CancellationError` when the task is cancelled.
    public mutating func next() async throws -> AnimationFrame? {
      let session: PlaybackSession
      switch phase {
      case .idle: session = player.open()
      case .playing(let current): session = current
      case .ended: return nil
      }
      // Nothing of it remains if it throws.
      phase = .ended
      guard let frame = try await session.next() else { return nil }
      phase = .playing(session)
      return frame
    }
  }
}

extension AnimationPlayer {
  /// Plays: the frames one after the other, each when it is to be shown.
  ///
  /// A consumer that is early waits until the frame is due; one that is late gets the frames that ``lateFrames`` keeps.
  /// One takes frames at a time: a new iterator ends the one before, and begins with the frame at which it stood, or anew
  /// after the last loop. Letting the iterator go (`break`), or cancelling its task, stops all decoding.
  public func frames() -> PlaybackFrames {
    PlaybackFrames(player: self)
  }
}
