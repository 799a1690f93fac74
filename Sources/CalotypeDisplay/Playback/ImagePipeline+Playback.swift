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
  /// An animation in memory is played from there. Otherwise frames are played as soon as they have arrived,
  /// and players fail with the error of the load. The transfer is shared with all requests for the same
  /// image; when `body` returns, it is cancelled, unless others want it. Equal requests without a
  /// `ImageRequest.deadline` that are played in the same pool during loading also share the frames, and
  /// count as one request for observers.
  ///
  /// Unlike with ``response(for:)``, only the disk cache stores the original, and nothing is stored in
  /// memory.
  ///
  /// - Parameters:
  ///   - request: The request to play; all of its frames, regardless of `ImageRequest.frames`.
  ///   - pool: The pool that keeps decoded frames.
  ///   - clock: The clock of the player.
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
    // A load with a deadline is not shared: its end must not end that of others.
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

  /// Passes the arriving bytes, and the end or the error, to an animation.
  private nonisolated func load(_ request: ImageRequest, into animation: ProgressiveAnimation) async {
    do {
      _ = try await streamOriginal(of: request) { try await animation.append($0) }
      try await animation.finish()
    } catch {
      animation.fail(with: error)
    }
  }
}
