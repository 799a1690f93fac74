import Calotype
public import CalotypeImaging
import CalotypeSupport
public import FoundationEssentials

/// An animation that can be played while it is still arriving.
///
/// ```swift
/// let animation = ProgressiveAnimation()
/// let player = AnimationPlayer(animation)
/// async let played: Void = show(player.frames())
/// for try await chunk in body { try await animation.append(chunk) }
/// try await animation.finish()
/// try await played
/// ```
///
/// Players show the complete frames, wait at the last one for more, and never go back. They fail with the
/// error of the animation after the last available frame. Calls are processed in order; decoding runs on
/// its own threads, also that for players.
public final class ProgressiveAnimation: Sendable {
  // `@unchecked`: used by one call at a time, in its turn; the queue of turns hands it from thread to
  // thread.
  private final class Decoder: @unchecked Sendable {
    let decoder: IncrementalDecoder

    init(_ decoder: IncrementalDecoder) { self.decoder = decoder }

    /// Returns the frames that can be played.
    func timeline(isComplete: Bool) -> AnimationTimeline {
      let info = decoder.info
      let count = decoder.completeFrameCount
      let durations = info?.durations ?? []
      return AnimationTimeline(
        durations: (0..<count).map { durations.indices.contains($0) ? durations[$0] : .zero },
        loopCount: info?.loopCount ?? 1, isComplete: isComplete)
    }
  }

  private struct State {
    var timeline = AnimationTimeline(durations: [], loopCount: 1, isComplete: false)
    var frameByteCount: Int?
    var observers: [WeakSignal] = []
  }

  private struct WeakSignal {
    weak var signal: ChangeSignal?
  }

  /// The options for decoding the frames.
  public let options: DecodeOptions
  private let decoder: Decoder
  private let turns = AsyncMutex()
  private let workers = WorkerExecutor.playback
  private let state = Lock(State())

  /// Creates an animation without any bytes.
  public init(coders: CoderRegistry = .standard, options: DecodeOptions = DecodeOptions()) {
    self.options = options
    decoder = Decoder(coders.makeIncrementalDecoder(options: options))
  }

  /// The number of frames that can be shown.
  public var completeFrameCount: Int { state.withLock { $0.timeline.count } }

  /// Whether all frames have arrived.
  public var isComplete: Bool { state.withLock { $0.timeline.isComplete } }

  /// Whether more frames may arrive.
  var isArriving: Bool { state.withLock { !$0.timeline.isComplete && $0.timeline.failure == nil } }

  /// Appends the next bytes.
  ///
  /// - Throws: The errors of `IncrementalDecoder.append(_:)`, which players also throw after the last
  ///   available frame; `CancellationError` when the task is cancelled before its turn, so that the bytes
  ///   are not appended.
  public func append(_ chunk: Data) async throws {
    try await advance(isComplete: false) { try $0.append(chunk) }
  }

  /// Marks the end of the bytes.
  ///
  /// - Throws: as ``append(_:)``, and when the bytes end before the image does.
  public func finish() async throws {
    try await advance(isComplete: true) { _ = try $0.finish() }
  }

  /// Ends the animation with an error: players fail with it after the last available frame.
  public func fail(with error: any Error) {
    change { state in
      if !state.timeline.isComplete, state.timeline.failure == nil { state.timeline.failure = error }
    }
  }

  private func advance(
    isComplete: Bool, _ body: @Sendable (IncrementalDecoder) throws -> Void
  ) async throws {
    try await inTurn { decoder in
      // Published in the turn: otherwise the report of an earlier call might come last.
      do {
        try body(decoder.decoder)
      } catch {
        publish(decoder, isComplete: false, failure: error)
        throw error
      }
      publish(decoder, isComplete: isComplete)
    }
  }

  /// Publishes the present state, unless the end has been published.
  private func publish(_ decoder: Decoder, isComplete: Bool, failure: (any Error)? = nil) {
    var timeline = decoder.timeline(isComplete: isComplete)
    let byteCount = decoder.decoder.info.map(options.outputByteCount)
    change { state in
      guard !state.timeline.isComplete else { return }
      timeline.failure = state.timeline.failure ?? failure
      state.timeline = timeline
      state.frameByteCount = byteCount
    }
  }

  /// Runs `body` on a worker with exclusive access to the decoder.
  private func inTurn<Result: Sendable>(
    _ body: @Sendable (Decoder) throws -> Result
  ) async throws -> Result {
    try await turns.run {
      try await workers.run { try body(decoder) }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let signals = state.withLock { state -> [ChangeSignal] in
      body(&state)
      return state.observers.compactMap(\.signal)
    }
    for signal in signals { signal.raise() }
  }
}

extension ProgressiveAnimation: FrameSource {
  var identity: FrameIdentity { FrameIdentity(origin: ObjectIdentifier(self), transforms: []) }
  var timeline: AnimationTimeline { state.withLock { $0.timeline } }
  var frameByteCount: Int? { state.withLock { $0.frameByteCount } }
  /// Not read while bytes are arriving.
  var keyFrames: [Int] { [] }

  func observe(with signal: ChangeSignal) {
    state.withLock { state in
      // Removed here rather than at changes: after the end there are no changes, but players are still
      // created and released.
      state.observers.removeAll { $0.signal == nil }
      state.observers.append(WeakSignal(signal: signal))
    }
  }

  /// The signals to raise after changes; some of them may be released.
  var observerCount: Int { state.withLock { $0.observers.count } }

  func frame(at index: Int, on workers: WorkerExecutor) async throws -> Image {
    try await inTurn { try $0.decoder.frame(at: index) }
  }
}

extension WorkerExecutor {
  /// Decodes frames of animations.
  static let playback = WorkerExecutor(name: "calotype-frames", threads: Threads.availableProcessors)
}
