import Glibc

/// A value that is only accessed while a lock is held, and whose changes threads can wait for.
///
/// For queues with their own threads; use a ``Lock`` for everything else. No task may wait here: that would block the
/// cooperative pool.
// `@unchecked`: `sleepers` is only accessed while the lock is held.
package final class Monitor<Value>: @unchecked Sendable {
  private let lock: Lock<Value>
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var sleepers = 0

  /// Guards `value`.
  package init(_ value: consuming sending Value) {
    lock = Lock(value)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
  }

  /// The threads that a change wakes.
  package enum Waking {
    case nobody
    case one
    case all
  }

  /// Calls `body` while the lock is held.
  ///
  /// Threads are woken under the lock. Unlocking is the last access: another thread may release the monitor as soon as
  /// it sees the change.
  package func withLock<Result>(waking: Waking = .nobody, _ body: (inout Value) -> Result) -> Result {
    withLock(waking: { _ in waking }, body)
  }

  /// Calls `body` while the lock is held, and `waking` with the value afterwards.
  package func withLock<Result>(
    waking: (borrowing Value) -> Waking, _ body: (inout Value) -> Result
  ) -> Result {
    let mutex = lock.mutex
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let result = body(&lock.value.pointee)
    if sleepers > 0 {
      switch waking(lock.value.pointee) {
      case .nobody: break
      case .one: pthread_cond_signal(condition)
      case .all: pthread_cond_broadcast(condition)
      }
    }
    return result
  }

  /// Calls `body` while the lock is held, and sleeps for as long as it returns `nil`.
  package func wait<Result>(for body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(lock.mutex)
    defer { pthread_mutex_unlock(lock.mutex) }
    while true {
      if let result = body(&lock.value.pointee) { return result }
      sleepers += 1
      pthread_cond_wait(condition, lock.mutex)
      sleepers -= 1
    }
  }

  /// Calls `body` while the lock is held, and sleeps for as long as it returns `nil`, until a moment.
  ///
  /// - Returns: `nil` if the moment has come.
  package func wait<Result>(until end: MonotonicTime, for body: (inout Value) -> Result?) -> Result? {
    pthread_mutex_lock(lock.mutex)
    defer { pthread_mutex_unlock(lock.mutex) }
    var time = timespec(
      tv_sec: Int(end.nanoseconds / 1_000_000_000), tv_nsec: Int(end.nanoseconds % 1_000_000_000))
    while true {
      if let result = body(&lock.value.pointee) { return result }
      sleepers += 1
      let status = pthread_cond_timedwait(condition, lock.mutex, &time)
      sleepers -= 1
      if status == ETIMEDOUT { return body(&lock.value.pointee) }
    }
  }
}
