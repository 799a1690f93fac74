#if TSAN
  import Glibc
#else
  public import Synchronization
#endif

/// A value that is only touched while a lock is held.
///
/// The one lock type of the project. Critical sections are short, never suspend and never call out. Built with
/// `-DTSAN` it uses a `pthread_mutex_t`, because ThreadSanitizer cannot see the slow path of
/// `Synchronization.Mutex` and would report races that are none.
///
/// Public, though no product shows it: what is only visible in the package is not specialised for the modules that
/// use it, and each call would look up the type of its value at run time.
public final class Lock<Value: ~Copyable> {
  #if TSAN
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    /// Guards `value`.
    public init(_ value: consuming sending Value) {
      self.value = value
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    /// Calls `body` while the lock is held.
    public func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value)
    }
  #else
    @usableFromInline let mutex: Mutex<Value>

    /// Guards `value`.
    @inlinable public init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    /// Calls `body` while the lock is held.
    @inlinable public func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  #endif
}

#if TSAN
  // `@unchecked`: `value` is only reached between lock and unlock of the mutex beside it.
  extension Lock: @unchecked Sendable where Value: ~Copyable {}
#else
  extension Lock: Sendable where Value: ~Copyable {}
#endif
