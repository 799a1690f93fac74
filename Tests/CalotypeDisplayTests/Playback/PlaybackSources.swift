@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials

@testable import Calotype

/// Frames of 4×4 pixels, 100 ms each, that do what a test says when they are decoded.
final class ScriptedFrames: FrameSource {
  static let frameByteCount = 64

  let log = DecodeLog()
  let keyFrames: [Int]
  private let times: AnimationTimeline
  private let decode: @Sendable (Int) async throws -> Void
  private let hook = Lock((@Sendable () -> Void)?.none)
  private let looks = Lock(0)

  init(
    count: Int, loopCount: Int = 1, decode: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) {
    keyFrames = Array(repeating: 0, count: count)
    times = AnimationTimeline(
      durations: Array(repeating: .milliseconds(100), count: count), loopCount: loopCount, isComplete: true)
    self.decode = decode
  }

  /// How often somebody wanted to know what there is.
  var lookCount: Int { looks.withLock { $0 } }

  /// Called once, when somebody asks how large a frame is.
  func onNextSize(_ body: @escaping @Sendable () -> Void) { hook.withLock { $0 = body } }

  var identity: FrameIdentity { FrameIdentity(origin: ObjectIdentifier(self), transforms: []) }

  var timeline: AnimationTimeline {
    looks.withLock { $0 += 1 }
    return times
  }

  var frameByteCount: Int? {
    hook.withLock { $0.take() }?()
    return Self.frameByteCount
  }

  func observe(with signal: ChangeSignal) {}

  func frame(at index: Int, on workers: WorkerExecutor) async throws -> Image {
    log.note(index)
    try await decode(index)
    return Image(bitmap: try SampleImages.bitmap(width: 4, height: 4))
  }
}

/// Decodes GIF while it arrives, and fails on demand.
struct FailingDecoder: ImageDecoding {
  /// What the next bytes end in, if it is not decided by them.
  let failure = Lock(ImagingError?.none)
  private let base = GIFDecoder()

  var formats: [ImageFormat] { base.formats }
  func format(of prefix: Data) -> ImageFormat? { base.format(of: prefix) }
  func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try base.probe(data, limits: limits)
  }
  func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try base.decode(data, minimumSize: minimumSize, options: options)
  }
  func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    base.makeIncrementalDecoder(options: options).map { Bytes(base: $0, coder: self) }
  }

  private final class Bytes: IncrementalImageDecoding {
    let base: any IncrementalImageDecoding
    let coder: FailingDecoder

    init(base: any IncrementalImageDecoding, coder: FailingDecoder) {
      self.base = base
      self.coder = coder
    }

    func append(_ chunk: Data) throws(ImagingError) {
      if let failure = coder.failure.withLock({ $0 }) { throw failure }
      try base.append(chunk)
    }

    var info: ImageInfo? { base.info }
    var completeFrameCount: Int { base.completeFrameCount }
    func snapshot() throws(ImagingError) -> Image? { try base.snapshot() }
    func frame(at index: Int) throws(ImagingError) -> Bitmap { try base.frame(at: index) }
    func finish() throws(ImagingError) -> Image { try base.finish() }
  }
}
