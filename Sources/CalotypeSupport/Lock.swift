#if TSAN
  import Glibc
#else
  import Synchronization
#endif

/// A value that is only touched while a lock is held.
///
/// The one lock type of the project. Critical sections are short, never suspend and never call out. Built with
/// `-DTSAN` it uses a `pthread_mutex_t`, because ThreadSanitizer cannot see the slow path of
/// `Synchronization.Mutex` and would report races that are none.
#if TSAN
  // `@unchecked`: `value` is only reached between lock and unlock of the mutex beside it.
  package final class Lock<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: consuming sending Value) {
      self.value = value
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    package func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value)
    }
  }
#else
  package final class Lock<Value: ~Copyable>: Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    package func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  }
#endif
