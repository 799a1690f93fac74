import Calotype
public import CalotypeImaging
import CalotypeSupport

/// The frames of an animation of the program's own.
struct ProvidedFrames: FrameSource {
  /// The maximum number of frames: their durations are held in memory.
  static let maxFrames = 100_000

  let timeline: AnimationTimeline
  let keyFrames: [Int]
  private let provider: any FrameProviding

  /// Reads the number of the frames and their durations.
  ///
  /// - Throws: `ImagingError.invalidParameter(name:reason:)` for fewer than one and more than ``maxFrames`` frames.
  init(_ provider: any FrameProviding) throws(ImagingError) {
    let count = provider.frameCount
    guard (1...Self.maxFrames).contains(count) else {
      throw .invalidParameter(name: "frameCount", reason: "\(count) is not from 1 to \(Self.maxFrames)")
    }
    self.provider = provider
    timeline = AnimationTimeline(
      durations: (0..<count).map(provider.duration), loopCount: max(0, provider.loopCount), isComplete: true)
    // Each is drawn by itself.
    keyFrames = Array(0..<count)
  }

  var identity: FrameIdentity { FrameIdentity(origin: ObjectIdentifier(provider), transforms: []) }
  var frameByteCount: Int? { provider.frameByteCount }

  func observe(with signal: ChangeSignal) {}

  func frame(at index: Int, on workers: WorkerExecutor) async throws -> Image {
    try await workers.run { try provider.frame(at: index) }
  }
}

extension AnimationPlayer {
  /// Creates a player of an animation of the program's own.
  ///
  /// - Parameters:
  ///   - frames: The animation.
  ///   - transforms: The transforms applied to each frame. Steps that depend on pixels use those of the
  ///     first frame.
  ///   - pool: The pool that keeps decoded frames.
  ///   - clock: The clock of the playback.
  /// - Throws: `ImagingError.invalidParameter(name:reason:)` for fewer than one and more than 100,000 frames.
  public convenience init(
    _ frames: any FrameProviding, transforms: TransformChain = [], pool: FramePool = .shared,
    clock: any Clock<Duration> = ContinuousClock()
  ) throws(ImagingError) {
    self.init(source: try ProvidedFrames(frames), transforms: transforms, pool: pool, clock: clock)
  }
}
