import CalotypeCaching
import CalotypeSupport
import Synchronization

/// A lease in Redis, which the ``RedisCoordinator`` renews until this object ends or is released.
final class RedisLease: FlightLease {
  private let id: Int
  private let coordinator: RedisCoordinator
  private let hasEnded = Atomic(false)

  init(_ id: Int, _ coordinator: RedisCoordinator) {
    self.id = id
    self.coordinator = coordinator
  }

  deinit {
    if !hasEnded.load(ordering: .relaxed) { coordinator.giveUp(id) }
  }

  func end(_ outcome: FlightOutcome) async {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    await coordinator.end(id, outcome)
  }
}
