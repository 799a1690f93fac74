import Calotype
import CalotypeImaging
import CalotypeSupport

/// The source of the frames of a player.
protocol FrameSource: Sendable {
  /// The identity of the frames. Sources with the same frames have the same one, while one of them exists.
  var identity: FrameIdentity { get }

  /// The frames that are known at present.
  var timeline: AnimationTimeline { get }

  /// The bytes of a frame, if they are known before the first decode.
  var frameByteCount: Int? { get }

  /// For each frame, the last one up to it that needs no earlier frame; empty when they are not known.
  var keyFrames: [Int] { get }

  /// Raises the signal after each change of ``timeline``, until the signal is released.
  func observe(with signal: ChangeSignal)

  /// Decodes a frame, on one of the threads of `workers`. Cheap for the frame after the one before.
  func frame(at index: Int, on workers: WorkerExecutor) async throws -> Image

  /// Releases decoders that are only kept to make the next frame cheap. Called when no player is left.
  func rest()
}

extension FrameSource {
  /// Does nothing.
  func rest() {}
}

/// The identity of frames: their decoder, and the transforms after it.
struct FrameIdentity: Hashable, Sendable {
  /// The decoders.
  let origin: ObjectIdentifier
  let transforms: TransformChain
}

/// The frames of an animation whose bytes are complete.
struct CompleteFrames: FrameSource {
  let identity: FrameIdentity
  let timeline: AnimationTimeline
  let keyFrames: [Int]
  private let image: AnimatedImage

  init(_ image: AnimatedImage) {
    self.image = image
    identity = FrameIdentity(origin: image.identity, transforms: [])
    timeline = AnimationTimeline(
      durations: (0..<image.frameCount).map(image.duration), loopCount: image.loopCount, isComplete: true)
    keyFrames = image.keyFrames
  }

  var frameByteCount: Int? { image.options.outputByteCount(for: image.info) }

  func observe(with signal: ChangeSignal) {}

  func frame(at index: Int, on workers: WorkerExecutor) async throws -> Image {
    try await workers.run { try image.frame(at: index) }
  }

  func rest() { image.dropIdleDecoders() }
}

/// An image that is decoded already.
final class SingleFrame: FrameSource {
  private let image: Image

  init(_ image: Image) {
    self.image = image
  }

  var identity: FrameIdentity { FrameIdentity(origin: ObjectIdentifier(self), transforms: []) }
  var timeline: AnimationTimeline { AnimationTimeline(durations: [.zero], loopCount: 1, isComplete: true) }
  var frameByteCount: Int? { image.bitmap.byteCount }
  var keyFrames: [Int] { [0] }

  func observe(with signal: ChangeSignal) {}

  func frame(at index: Int, on workers: WorkerExecutor) async throws -> Image { image }
}

/// The frames of another source after transforms. Transforms that depend on pixels are resolved by the first frame.
final class TransformedFrames: FrameSource {
  private let base: any FrameSource
  private let transforms: TransformChain
  private let resolved = Lock(TransformChain?.none)

  init(_ base: any FrameSource, _ transforms: TransformChain) {
    self.base = base
    self.transforms = transforms
  }

  var identity: FrameIdentity { FrameIdentity(origin: base.identity.origin, transforms: transforms) }
  var timeline: AnimationTimeline { base.timeline }
  var frameByteCount: Int? { base.frameByteCount }
  var keyFrames: [Int] { base.keyFrames }

  func observe(with signal: ChangeSignal) { base.observe(with: signal) }

  func frame(at index: Int, on workers: WorkerExecutor) async throws -> Image {
    let chain = try await chain(on: workers)
    let image = try await base.frame(at: index, on: workers)
    return try await workers.run { try image.transformed(by: chain) }
  }

  func rest() { base.rest() }

  private func chain(on workers: WorkerExecutor) async throws -> TransformChain {
    guard transforms.isContentDependent else { return transforms }
    if let chain = resolved.withLock({ $0 }) { return chain }
    let first = try await base.frame(at: 0, on: workers)
    let chain = try await workers.run { try transforms.resolved { first.bitmap } }
    resolved.withLock { $0 = chain }
    return chain
  }
}
