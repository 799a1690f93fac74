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
  /// What was loaded goes to the caches on disk, but not to memory: that is what ``response(for:)`` does.
  ///
  /// - Parameters:
  ///   - request: What to play; all of its frames, whatever ``ImageRequest/frames`` says.
  ///   - pool: Where decoded frames are kept.
  ///   - clock: Tells the player the time.
  ///   - body: Takes frames of the player.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public nonisolated func withPlayer<Result: Sendable>(
    for request: ImageRequest, pool: FramePool = .shared, clock: any Clock<Duration> = ContinuousClock(),
    _ body: (AnimationPlayer) async throws -> Result
  ) async throws -> Result {
    var request = request
    request.frames = .all
    request = prepared(request)
    if let response = memoryResponse(for: request) {
      return try await body(AnimationPlayer(response, pool: pool, clock: clock))
    }
    let plan = ResolvedRequest(request, configuration)
    // Nobody's load ends because somebody else was in a hurry.
    let isShared = configuration.sharesWork && request.deadline == nil
    let key = LoadingAnimations.Key(
      pipeline: ObjectIdentifier(self), request: request,
      number: isShared ? nil : context.counters.nextNumber())
    let (animation, place) = pool.arriving.join(key) {
      ProgressiveAnimation(coders: plan.coders, options: plan.decodeOptions)
    } load: {
      await self.load(plan, into: $0)
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
  private nonisolated func load(_ plan: ResolvedRequest, into animation: ProgressiveAnimation) async {
    do {
      _ = try await watched(.data, plan.request, outcome: { RequestOutcome($0) }) {
        try await withDeadline(of: plan.request) { deadline in
          package let want = try want(plan.request, watchesProgress: true)
          let place = try context.subscribe(
            toOriginalOf: plan, policy: plan.request.cachePolicy, want: want)
          defer { place.leave() }
          deadline?.limit(place)
          return try await feed(animation, from: place)
        }
      }
    } catch {
      animation.fail(with: error)
    }
  }

  private nonisolated func feed(
    _ animation: ProgressiveAnimation, from place: Subscription<OriginalData>
  ) async throws -> DataResponse {
    var offset = 0
    while true {
      switch try await place.next([.progress]) {
      case .arrived(let arrival):
        guard let chunk = arrival.bytes?.bytes(from: offset), !chunk.isEmpty else { continue }
        offset += chunk.count
        try await animation.append(chunk)
      case .ended(let loaded):
        // Not the bytes that were played, but older ones in their place.
        if offset > 0, let failure = loaded.provenance.failure { throw failure }
        if offset < loaded.data.count { try await animation.append(loaded.data.dropFirst(offset)) }
        try await animation.finish()
        return DataResponse(
          data: loaded.data, source: loaded.source, contentType: loaded.metadata.contentType)
      case .started, .interim, .preview: continue
      }
    }
  }
}
