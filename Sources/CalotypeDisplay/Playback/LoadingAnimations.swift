import Calotype
import CalotypeSupport

/// The animations that are being loaded for playback in a pool, each shared by all players that start
/// meanwhile.
final class LoadingAnimations: Sendable {
  /// The identity of a load: two players with the same one share it.
  struct Key: Hashable {
    let pipeline: ObjectIdentifier
    let request: ImageRequest
    /// Distinguishes loads that are not to be shared.
    let number: Int?
  }

  private struct Entry {
    let animation: ProgressiveAnimation
    let load: Task<Void, Never>
    var players = 0
  }

  private struct State {
    /// All animations in playback, by their place.
    var entries: [Int: Entry] = [:]
    /// The newest place for each key.
    var places: [Key: Int] = [:]
    var nextPlace = 0
    var nextNumber = 0
  }

  private let state = Lock(State())

  /// Returns a number for a load that is not shared.
  func nextNumber() -> Int {
    state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
  }

  /// Adds a player of an animation, and loads the animation unless a load for another player is in
  /// progress.
  ///
  /// - Returns: The animation, and its place, which has to be left.
  func join(
    _ key: Key, _ makeAnimation: () -> ProgressiveAnimation,
    load: @escaping @Sendable (ProgressiveAnimation) async -> Void
  ) -> (animation: ProgressiveAnimation, place: Int) {
    state.withLock { state in
      if let place = state.places[key], let entry = state.entries[place], entry.animation.isArriving {
        state.entries[place]?.players += 1
        return (entry.animation, place)
      }
      let animation = makeAnimation()
      state.nextPlace += 1
      state.places[key] = state.nextPlace
      // Created under the lock, so that it is known before any player can leave.
      let task = Task { @concurrent in await load(animation) }
      state.entries[state.nextPlace] = Entry(animation: animation, load: task, players: 1)
      return (animation, state.nextPlace)
    }
  }

  /// Removes one player of the animation at a place. The last one cancels the load, and waits for its end.
  func leave(_ place: Int, of key: Key) async {
    let load = state.withLock { state -> Task<Void, Never>? in
      state.entries[place]?.players -= 1
      guard let entry = state.entries[place], entry.players == 0 else { return nil }
      state.entries[place] = nil
      if state.places[key] == place { state.places[key] = nil }
      return entry.load
    }
    load?.cancel()
    await load?.value
  }
}
