import CalotypeSupport

/// The circuit breaker for stores of a ``DiskCache``: while its folder cannot be locked, stores fail at once instead of
/// timing out one after another.
///
/// It opens when a wait for the lock takes too long. After a cool-down, which doubles each time, one store may probe
/// the lock. Taking the lock closes it.
final class StoreCircuit: Sendable {
  private enum State {
    case closed
    /// Whether a wait for the lock has already taken too long.
    case waiting
    /// When the next store may probe.
    case open(until: Duration)
  }

  private struct Book {
    var state = State.closed
    var coolDown = StoreCircuit.shortestCoolDown
  }

  static let shortestCoolDown = Duration.seconds(1)
  static let longestCoolDown = Duration.seconds(30)

  private let book = Lock(Book())
  private let timer: CacheTimer
  private let opened: @Sendable (_ isFinal: Bool) -> Void

  /// - Parameter opened: Called by the waiting thread when a wait has taken too long; with `true` when it has reached
  ///   the longest timeout.
  init(timer: CacheTimer, opened: @escaping @Sendable (_ isFinal: Bool) -> Void) {
    self.timer = timer
    self.opened = opened
  }

  /// Whether stores are refused, except for occasional probes.
  var isOpen: Bool {
    book.withLock { book in
      if case .closed = book.state { false } else { true }
    }
  }

  /// Whether a store is admitted.
  func admits() -> Bool {
    guard isOpen else { return true }
    let time = timer.elapsed
    return book.withLock { book in
      switch book.state {
      case .closed: return true
      case .waiting: return false
      case .open(let until):
        guard time >= until else { return false }
        // One probe at a time, and another later in case this one is lost.
        book.state = .open(until: time + book.coolDown)
        return true
      }
    }
  }

  /// A wait for the lock has taken too long and continues.
  func lockIsHeld() {
    book.withLock { $0.state = .waiting }
    opened(false)
  }

  /// A wait for the lock timed out.
  ///
  /// - Parameter isFinal: Whether it was the longest timeout.
  func lockWasNotTaken(isFinal: Bool) {
    let time = timer.elapsed
    book.withLock { book in
      book.state = .open(until: time + book.coolDown)
      book.coolDown = min(book.coolDown * 2, Self.longestCoolDown)
    }
    opened(isFinal)
  }

  /// The lock was taken.
  func lockWasTaken() {
    book.withLock { book in
      if case .closed = book.state { return }
      book = Book()
    }
  }
}
