import CalotypeImaging
import CalotypeSupport

/// The memory held only until an image is finished, and reclaimed when memory is short: the decoders of
/// arriving images, and stale originals that are being revalidated.
final class StreamingDecoders: Sendable {
  private let slots = Lock([ObjectIdentifier: StreamingDecoderSlot]())

  /// Adds a slot for the decoder of one image, until it is removed.
  func add() -> StreamingDecoderSlot {
    let slot = StreamingDecoderSlot()
    slots.withLock { $0[ObjectIdentifier(slot)] = slot }
    return slot
  }

  /// Removes the slot of an image that needs no decoder any more.
  func remove(_ slot: StreamingDecoderSlot) {
    slots.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(slot)) }
    slot.giveUp()
  }

  /// Makes all decoders release their canvases: now, or when they have completed their current step.
  func giveUpAll() {
    for slot in slots.withLock({ Array($0.values) }) { slot.giveUp() }
  }

  /// The number of slots.
  var count: Int { slots.withLock { $0.count } }
}

/// The decoder of one arriving image with its reserved bytes, unless it has been given up.
final class StreamingDecoderSlot: Sendable {
  private struct State {
    var decoder: StreamingDecoder?
    var reservation: MemoryReservation?
    var isInUse = false
    var isGivenUp = false
    var drops: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  /// Keeps bytes that are reserved already, until the memory is needed elsewhere: then `drop` is called.
  ///
  /// - Returns: Whether they are kept; they are released if not.
  func keep(_ reservation: MemoryReservation?, drop: @escaping @Sendable () -> Void) -> Bool {
    guard let reservation else { return true }
    guard reservation.move(to: .arriving) else {
      reservation.release()
      state.withLock { $0.isGivenUp = true }
      return false
    }
    state.withLock { state in
      state.reservation = reservation
      state.drops = drop
    }
    return true
  }

  /// Transfers the kept bytes to the caller, so that they are no longer dropped; returns `nil` if they were
  /// dropped before.
  func handOver() -> [MemoryReservation]? {
    state.withLock { state in
      if state.isGivenUp { return nil }
      state.isGivenUp = true
      state.drops = nil
      return state.reservation.take().map { [$0] } ?? []
    }
  }

  /// Whether the decoder was given up: the image is decoded when all bytes have arrived.
  var isGivenUp: Bool { state.withLock { $0.isGivenUp } }
  /// Whether there is a decoder.
  var isEmpty: Bool { state.withLock { $0.decoder == nil } }
  /// The delay ``StreamingDecoder/postponed`` of the decoder, while it is not in use.
  var postponed: Duration? { state.withLock { $0.isInUse ? nil : $0.decoder?.postponed } }

  /// Installs a decoder.
  func fill(_ decoder: StreamingDecoder, drops: @escaping @Sendable () -> Void) {
    state.withLock { state in
      if state.isGivenUp { return }
      state.decoder = decoder
      state.drops = drops
    }
  }

  /// Takes the decoder, to be used until ``putBack()``; returns `nil` if it has been given up.
  func take() -> StreamingDecoder? {
    state.withLock { state in
      guard let decoder = state.decoder, !state.isInUse else { return nil }
      state.isInUse = true
      return decoder
    }
  }

  /// Returns the decoder to the slot; it is released if it was given up meanwhile.
  func putBack() {
    let dropped = state.withLock { state -> MemoryReservation? in
      state.isInUse = false
      guard state.isGivenUp else { return nil }
      state.decoder = nil
      return state.reservation.take()
    }
    dropped?.release()
  }

  /// Reserves bytes for the decoder in use, if they fit.
  func reserve(_ bytes: Int, of memory: ImagePipeline.Memory) -> Bool {
    if let reservation = state.withLock({ $0.reservation }) { return reservation.grow(to: bytes) }
    guard let reservation = memory.tryReserve(bytes, in: .arriving) else { return false }
    state.withLock { $0.reservation = reservation }
    return true
  }

  /// Takes the decoder and its bytes, to finish the image with; returns `nil` if it has been given up.
  func takeForGood() -> (StreamingDecoder, MemoryReservation?)? {
    state.withLock { state in
      state.isGivenUp = true
      guard let decoder = state.decoder.take() else { return nil }
      return (decoder, state.reservation.take())
    }
  }

  /// Gives up the canvas: the image is decoded from the whole body later.
  func giveUp() {
    let (dropped, drop) = state.withLock { state -> (MemoryReservation?, (@Sendable () -> Void)?) in
      state.isGivenUp = true
      let drop = state.drops.take()
      if state.isInUse { return (nil, drop) }
      state.decoder = nil
      return (state.reservation.take(), drop)
    }
    drop?()
    dropped?.release()
  }
}
