import CalotypeImaging
import CalotypeSupport

/// What is held only until an image is there, and gives way when room is short: the decoders of images that still arrive,
/// and stale originals about which a server is being asked.
final class StreamingDecoders: Sendable {
  private let slots = Lock([ObjectIdentifier: StreamingDecoderSlot]())

  /// A place for the decoder of one image, until it is removed.
  func add() -> StreamingDecoderSlot {
    let slot = StreamingDecoderSlot()
    slots.withLock { $0[ObjectIdentifier(slot)] = slot }
    return slot
  }

  /// The image needs no decoder any more.
  func remove(_ slot: StreamingDecoderSlot) {
    slots.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(slot)) }
    slot.giveUp()
  }

  /// Has all decoders give up their canvases: now, or when they have done what they are at.
  func giveUpAll() {
    for slot in slots.withLock({ Array($0.values) }) { slot.giveUp() }
  }

  /// How many there are.
  var count: Int { slots.withLock { $0.count } }
}

/// The decoder of one image that arrives, and the bytes that are reserved for it, unless it has been given up.
final class StreamingDecoderSlot: Sendable {
  private struct State {
    var decoder: StreamingDecoder?
    var reservation: MemoryReservation?
    var isInUse = false
    var isGivenUp = false
    var drops: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  /// Keeps bytes that are reserved already, until they are needed elsewhere: then `drop` is called.
  ///
  /// - Returns: Whether there is room for them; they are given back if not.
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

  /// Bytes that were kept are another's from now on, and what they are for is not dropped any more; `nil` if it was.
  func handOver() -> [MemoryReservation]? {
    state.withLock { state in
      if state.isGivenUp { return nil }
      state.isGivenUp = true
      state.drops = nil
      return state.reservation.take().map { [$0] } ?? []
    }
  }

  /// Whether it was given up: the image is decoded when all bytes are there.
  var isGivenUp: Bool { state.withLock { $0.isGivenUp } }
  /// Whether there is a decoder.
  var isEmpty: Bool { state.withLock { $0.decoder == nil } }
  /// ``StreamingDecoder/postponed`` of the decoder, while nobody uses it.
  var postponed: Duration? { state.withLock { $0.isInUse ? nil : $0.decoder?.postponed } }

  /// Puts a decoder there.
  func fill(_ decoder: StreamingDecoder, drops: @escaping @Sendable () -> Void) {
    state.withLock { state in
      if state.isGivenUp { return }
      state.decoder = decoder
      state.drops = drops
    }
  }

  /// The decoder, to be used until ``putBack()``; `nil` if it has been given up.
  func take() -> StreamingDecoder? {
    state.withLock { state in
      guard let decoder = state.decoder, !state.isInUse else { return nil }
      state.isInUse = true
      return decoder
    }
  }

  /// The decoder is not used any more; it goes if it was given up meanwhile.
  func putBack() {
    let dropped = state.withLock { state -> MemoryReservation? in
      state.isInUse = false
      guard state.isGivenUp else { return nil }
      state.decoder = nil
      return state.reservation.take()
    }
    dropped?.release()
  }

  /// Reserves so many bytes for the decoder, which is in use, if there is room for them.
  func reserve(_ bytes: Int, of memory: ImagePipeline.Memory) -> Bool {
    if let reservation = state.withLock({ $0.reservation }) { return reservation.grow(to: bytes) }
    guard let reservation = memory.tryReserve(bytes, in: .arriving) else { return false }
    state.withLock { $0.reservation = reservation }
    return true
  }

  /// The decoder and its bytes, to finish the image with; `nil` if it has been given up.
  func takeForGood() -> (StreamingDecoder, MemoryReservation?)? {
    state.withLock { state in
      state.isGivenUp = true
      guard let decoder = state.decoder.take() else { return nil }
      return (decoder, state.reservation.take())
    }
  }

  /// Gives up the canvas: the picture is decoded from all its bytes when they are there.
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
