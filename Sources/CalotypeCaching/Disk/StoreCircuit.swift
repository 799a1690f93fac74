import CalotypeSupport

/// Decides whether a ``DiskCache`` takes stores: not while its folder cannot be locked, so that they fail at once
/// instead of one after the other when their time is over.
///
/// It opens when a wait for the lock takes too long. After a cool-down, which doubles from time to time, one store is
/// let through to try. Any lock that is taken closes it.
final class StoreCircuit: Sendable {
  private enum State {
    case closed
    /// Somebody waits for the lock, for too long already.
    case waiting
    /// The next store may try from then on.
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

  /// - Parameter opened: Called when a wait has taken too long, by the thread that waits; with `true` when it was as long as
  ///   any may be.
  init(timer: CacheTimer, opened: @escaping @Sendable (_ isFinal: Bool) -> Void) {
    self.timer = timer
    self.opened = opened
  }

  /// Whether stores are refused, but for one now and then.
  var isOpen: Bool {
    book.withLock { book in
      if case .closed = book.state { false } else { true }
    }
  }

  /// Whether a store may come in.
  func admits() -> Bool {
    guard isOpen else { return true }
    let time = timer.elapsed
    return book.withLock { book in
      switch book.state {
      case .closed: return true
      case .waiting: return false
      case .open(let until):
        guard time >= until else { return false }
        // One at a time, and another one later in case nothing comes of this one.
        book.state = .open(until: time + book.coolDown)
        return true
      }
    }
  }

  /// The lock has been waited for too long, and still is.
  func lockIsHeld() {
    book.withLock { $0.state = .waiting }
    opened(false)
  }

  /// The lock was not to be had in time.
  ///
  /// - Parameter isFinal: Whether nobody would have waited longer.
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
