import Calotype
import CalotypeImaging
import CalotypeSupport

/// Where a player has its frames from.
protocol FrameSource: Sendable {
  /// The same for sources whose frames are the same, while one of them is there.
  var identity: FrameIdentity { get }

  /// What there is now.
  var timeline: AnimationTimeline { get }

  /// Bytes of a frame, as far as that is known before one is there; `nil` while nothing is known.
  var frameByteCount: Int? { get }

  /// For each frame the last up to it that needs none before; empty if nobody knows.
  var keyFrames: [Int] { get }

  /// Raises the signal whenever ``timeline`` has changed, until it is released.
  func observe(with signal: ChangeSignal)

  /// Decodes a frame, on one of the threads of `workers`. Cheap for the frame after the one before.
  func frame(at index: Int, on workers: WorkerExecutor) async throws -> Image

  /// Nobody plays it now: gives back what is only kept to make the next frame cheap.
  func rest()
}

extension FrameSource {
  /// Nothing is kept.
  func rest() {}
}

/// What makes frames the same: what they are decoded from, and what becomes of them.
struct FrameIdentity: Hashable, Sendable {
  /// The decoders.
  let origin: ObjectIdentifier
  let transforms: TransformChain
}

/// The frames of an animation that is there as a whole.
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

/// A picture that is there already.
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

/// Frames of another source, each after the same transforms: what is decided by looking at pixels is decided by the first.
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
