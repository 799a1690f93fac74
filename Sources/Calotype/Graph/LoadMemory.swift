import CalotypeLoading
import CalotypeSupport

/// The memory for a body, reserved before its bytes are read.
///
/// Of a declared length, only a share is reserved at once, so that servers which declare much and send
/// little cannot exhaust the memory; more is reserved as bytes arrive.
final class LoadMemory: BodyMemory {
  private let memory: ImagePipeline.Memory
  private let share: Int
  private let reservation = Lock<MemoryReservation?>(nil)

  /// - Parameters:
  ///   - memory: The memory to reserve from.
  ///   - loads: The number of concurrent loads: together they reserve half of the account at once.
  init(_ memory: ImagePipeline.Memory, loads: Int) {
    self.memory = memory
    share = max(16 << 10, memory.ceiling(of: .encoded) / (2 * max(1, min(loads, 32))))
  }

  func reserve(_ declared: Int) async throws -> Int? {
    let bytes = min(declared, share)
    guard let reserved = try await memory.reserve(bytes, in: .encoded) else { return nil }
    reservation.withLock { $0 = reserved }
    return bytes
  }

  func grow(to count: Int) -> Bool {
    if let reserved = reservation.withLock({ $0 }) { return reserved.grow(to: count) }
    guard let reserved = memory.tryReserve(count, in: .encoded) else { return false }
    reservation.withLock { $0 = reserved }
    return true
  }

  func giveBack() {
    reservation.withLock { $0.take() }?.release()
  }

  /// Takes the reservation for a complete body; returns none for bytes in a file.
  func take(for count: Int, isSpooled: Bool) -> MemoryReservation? {
    let reserved = reservation.withLock { $0.take() }
    if isSpooled {
      reserved?.release()
      return nil
    }
    reserved?.shrink(to: count)
    return reserved
  }
}
