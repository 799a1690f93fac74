public import Calotype
import CalotypeImaging
import CalotypeLoading
import FoundationEssentials

extension ImagePipeline {
  /// Plays an animation while it is being loaded.
  ///
  /// ```swift
  /// try await pipeline.withPlayer(for: request) { player in
  ///   for try await frame in player.frames() { show(frame.bitmap) }
  /// }
  /// ```
  ///
  /// An animation that is in memory is played from there. Otherwise frames are played as soon as they have arrived, and
  /// players fail with what the load fails with. The transfer is shared with all who ask for the same image; when `body`
  /// returns, it is given up, unless others want it. Equal requests without a ``ImageRequest/deadline`` that are played in
  /// the same pool while they are loaded share the frames, too, and for observers they are one request.
  ///
  /// Originals go to the disk cache, but nothing to memory, unlike with ``response(for:)``.
  ///
  /// - Parameters:
  ///   - request: What to play; all of its frames, whatever ``ImageRequest/frames`` says.
  ///   - pool: Where decoded frames are kept.
  ///   - clock: Tells the player the time.
  ///   - body: Takes frames of the player.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public nonisolated func withPlayer<Result: Sendable>(
    for request: ImageRequest, pool: FramePool = .shared, clock: any Clock<Duration> = ContinuousClock(),
    _ body: (AnimationPlayer) async throws -> Result
  ) async throws -> Result {
    var wanted = request
    wanted.frames = .all
    let request = intercepted(wanted)
    if let hit = imageInMemory(for: request) {
      return try await body(AnimationPlayer(hit.response, pool: pool, clock: clock))
    }
    let (coders, options) = decoding(of: request)
    // A load with a deadline is its own: its end must not end that of others.
    let isShared = configuration.sharesWork && request.deadline == nil
    let key = LoadingAnimations.Key(
      pipeline: ObjectIdentifier(self), request: request, number: isShared ? nil : pool.arriving.nextNumber())
    let (animation, place) = pool.arriving.join(key) {
      ProgressiveAnimation(coders: coders, options: options)
    } load: {
      await self.load(request, into: $0)
    }
    do {
      let result = try await body(AnimationPlayer(animation, pool: pool, clock: clock))
      await pool.arriving.leave(place, of: key)
      return result
    } catch {
      await pool.arriving.leave(place, of: key)
      throw error
    }
  }

  /// Hands an animation its bytes while they arrive, and the end or what went wrong.
  private nonisolated func load(_ request: ImageRequest, into animation: ProgressiveAnimation) async {
    do {
      _ = try await streamOriginal(of: request) { try await animation.append($0) }
      try await animation.finish()
    } catch {
      animation.fail(with: error)
    }
  }
}
