import CalotypeSupport

/// A number of bytes reserved in a ``ImagePipeline/Memory``, released with the last reference, if not
/// before.
///
/// Changed by one task at a time; released by any.
final class MemoryReservation: Sendable {
  private let memory: ImagePipeline.Memory
  private let state: Lock<(bytes: Int, account: MemoryLedger.Account)>

  init(_ memory: ImagePipeline.Memory, bytes: Int, account: MemoryLedger.Account) {
    self.memory = memory
    state = Lock((bytes, account))
  }

  deinit { release() }

  /// The number of bytes held.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Releases all bytes. Repeated calls have no effect.
  func release() {
    let (bytes, account) = state.withLock { state in
      defer { state.bytes = 0 }
      return state
    }
    if bytes > 0 { memory.release(bytes, from: account) }
  }

  /// Reserves more bytes, if they fit; otherwise none.
  func grow(to bytes: Int) -> Bool {
    let (more, account) = state.withLock { (bytes - $0.bytes, $0.account) }
    guard more > 0 else { return true }
    guard memory.take(more, in: account) else { return false }
    state.withLock { $0.bytes += more }
    return true
  }

  /// Releases the bytes beyond a number.
  func shrink(to bytes: Int) {
    let (less, account) = state.withLock { state in
      let less = max(0, state.bytes - max(0, bytes))
      state.bytes -= less
      return (less, state.account)
    }
    if less > 0 { memory.release(less, from: account) }
  }

  /// Moves all bytes to another account, if they fit there.
  func move(to account: MemoryLedger.Account) -> Bool {
    // Under the lock, because a concurrent release would release bytes that are being moved.
    let isMoved = state.withLock { state -> Bool in
      guard account != state.account, state.bytes > 0 else { return true }
      guard memory.move(state.bytes, from: state.account, to: account) else { return false }
      state.account = account
      return true
    }
    if isMoved { memory.announceRoom() }
    return isMoved
  }
}
