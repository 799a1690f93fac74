import CLinux
public import Glibc

/// A value that is only accessed while a lock is held.
///
/// The only lock type of the project. Critical sections are short, never suspend and never call unknown code.
///
/// It uses a pthread mutex, not that of `Synchronization`: the latter hands over to the longest waiting thread, and
/// with more threads than processors each hand-over waits for the scheduler, at a hundred times the cost of the lock.
/// Also, ThreadSanitizer understands only the former. A thread that finds it locked tries again for about a microsecond
/// before it sleeps: to be woken takes longer than a critical section. The mutex and the value share one block of whole
/// cache lines, so that locks that are used by different threads do not disturb each other.
///
/// Public, although no product exposes it: a generic type with package access is not specialised in other modules, and
/// each call would look up its type at run time.
public final class Lock<Value: ~Copyable> {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Guards `value`.
  public init(_ value: consuming sending Value) {
    let line = 64
    let alignment = max(line, MemoryLayout<Value>.alignment)
    let mutexSize = MemoryLayout<pthread_mutex_t>.size
    let valueAlignment = MemoryLayout<Value>.alignment
    let offset = (mutexSize + valueAlignment - 1) / valueAlignment * valueAlignment
    let size = (offset + MemoryLayout<Value>.size + line - 1) / line * line
    let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
    mutex = block.bindMemory(to: pthread_mutex_t.self, capacity: 1)
    self.value = (block + offset).bindMemory(to: Value.self, capacity: 1)
    self.value.initialize(to: value)
    let status = pthread_mutex_init(mutex, nil)
    precondition(status == 0, "pthread_mutex_init failed: \(status)")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    value.deinitialize(count: 1)
    UnsafeMutableRawPointer(mutex).deallocate()
  }

  /// Calls `body` while the lock is held.
  @inlinable public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    if pthread_mutex_trylock(mutex) != 0 { lockContended() }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }

  @usableFromInline func lockContended() { calotype_lock_contended(mutex) }

  /// Calls `body` while the lock is held; returns `nil` at once if another thread holds it.
  public func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard pthread_mutex_trylock(mutex) == 0 else { return nil }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}

// `@unchecked`: the value is only accessed between lock and unlock of its mutex.
extension Lock: @unchecked Sendable where Value: ~Copyable {}
