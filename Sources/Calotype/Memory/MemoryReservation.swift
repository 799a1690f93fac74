import CalotypeSupport

/// Bytes of a ``ImagePipeline/Memory`` that somebody holds. They are given back when nobody holds this any more, if not before.
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

  /// Bytes that are held.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Gives all of them back. Harmless when repeated.
  func release() {
    let (bytes, account) = state.withLock { state in
      defer { state.bytes = 0 }
      return state
    }
    if bytes > 0 { memory.release(bytes, from: account) }
  }

  /// Takes more, if there is room: nothing otherwise.
  func grow(to bytes: Int) -> Bool {
    let (more, account) = state.withLock { (bytes - $0.bytes, $0.account) }
    guard more > 0 else { return true }
    guard memory.take(more, in: account) else { return false }
    state.withLock { $0.bytes += more }
    return true
  }

  /// Gives back what exceeds so many bytes.
  func shrink(to bytes: Int) {
    let (less, account) = state.withLock { state in
      let less = max(0, state.bytes - max(0, bytes))
      state.bytes -= less
      return (less, state.account)
    }
    if less > 0 { memory.release(less, from: account) }
  }

  /// Moves all of them to another account, if that has room for them.
  func move(to account: MemoryLedger.Account) -> Bool {
    // Under the lock, or a release meanwhile would be of bytes that are being moved.
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
