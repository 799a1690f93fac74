@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import Calotype

/// What was decoded, in which order.
final class DecodeLog: Sendable {
  private let indices = Lock([Int]())

  var all: [Int] { indices.withLock { $0 } }
  var counts: [Int: Int] { all.reduce(into: [:]) { $0[$1, default: 0] += 1 } }

  func note(_ index: Int) { indices.withLock { $0.append(index) } }
}

/// How many frame decoders were made, and how many of them are still there.
final class DecoderCount: Sendable {
  private let counts = Lock((made: 0, alive: 0))

  var made: Int { counts.withLock { $0.made } }
  var alive: Int { counts.withLock { $0.alive } }

  func begin() {
    counts.withLock { counts in
      counts.made += 1
      counts.alive += 1
    }
  }

  func end() { counts.withLock { $0.alive -= 1 } }
}

/// Decodes GIF, and tells before each frame: of those that are asked for, and of those on the way to them.
struct ToldDecoder: ImageDecoding {
  let count = DecoderCount()
  let willDecode: @Sendable (Int) throws(ImagingError) -> Void
  private let base = GIFDecoder()

  init(_ willDecode: @escaping @Sendable (Int) throws(ImagingError) -> Void) {
    self.willDecode = willDecode
  }

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
  func makeFrameDecoder(_ data: Data, options: DecodeOptions) throws(ImagingError) -> (any FrameDecoding)? {
    guard let frames = try base.makeFrameDecoder(data, options: options) else { return nil }
    return Frames(base: frames, count, willDecode: willDecode)
  }

  /// Costs what compositing costs where no frame covers the one before: all frames since the last one.
  private final class Frames: FrameDecoding {
    let base: any FrameDecoding
    let count: DecoderCount
    let willDecode: @Sendable (Int) throws(ImagingError) -> Void
    private var next = 0

    init(
      base: any FrameDecoding, _ count: DecoderCount,
      willDecode: @escaping @Sendable (Int) throws(ImagingError) -> Void
    ) {
      self.base = base
      self.count = count
      self.willDecode = willDecode
      count.begin()
    }

    deinit { count.end() }

    var info: ImageInfo { base.info }

    func frame(at index: Int) throws(ImagingError) -> Bitmap {
      if next > index { next = 0 }
      while next <= index {
        try willDecode(next)
        next += 1
      }
      return try base.frame(at: index)
    }
  }
}

/// Animations of frames that all differ, 100 ms each.
enum PlaybackSamples {
  static func gif(frames: Int, loopCount: Int = 1, side: Int = 8) throws -> Data {
    try SampleImages.animation(
      .gif, frames: frames, width: side, height: side, duration: .milliseconds(100), loopCount: loopCount)
  }

  static func animation(frames: Int, loopCount: Int = 1, side: Int = 8) throws -> AnimatedImage {
    try AnimatedImage(data: gif(frames: frames, loopCount: loopCount, side: side))
  }

  /// An animation that tells what is decoded of it.
  static func told(
    frames: Int, loopCount: Int = 1, side: Int = 8,
    _ willDecode: @escaping @Sendable (Int) throws(ImagingError) -> Void
  ) throws -> AnimatedImage {
    var coders = CoderRegistry()
    coders.register(ToldDecoder(willDecode))
    return try AnimatedImage(data: gif(frames: frames, loopCount: loopCount, side: side), coders: coders)
  }
}

extension AnimationPlayer {
  /// The frames, with the clock moved on whenever the player sleeps: all, or so many. `shown` is called after each; if it
  /// moves the clock, that is the move.
  func played(
    by clock: TestClock, limit: Int = .max, _ shown: (AnimationFrame, Int) throws -> Void = { _, _ in }
  ) async throws -> [AnimationFrame] {
    let recorder = EventRecorder<AnimationFrame>()
    let frames = frames()
    let task = Task { await recorder.record(frames) }
    defer { task.cancel() }
    var count = 0
    while count < limit {
      try await eventually { recorder.elements.count > count || recorder.ending != nil }
      guard recorder.elements.count > count else { break }
      let before = clock.now
      try shown(recorder.elements[count], count)
      count += 1
      guard count < limit, clock.now == before else { continue }
      try await clock.advance(recorder, to: count + 1)
    }
    task.cancel()
    await task.value
    if case .failed(let error) = recorder.ending { throw error }
    return Array(recorder.elements.prefix(limit))
  }
}

extension TestClock {
  /// Moves on whenever somebody sleeps, until so many elements were recorded or the sequence has ended.
  func advance<Element>(_ recorder: EventRecorder<Element>, to count: Int) async throws {
    try await eventually {
      // Who sleeps has handed over what is to be handed over: looked at in this order, the clock is not moved too far.
      if sleeperCount > 0, recorder.elements.count < count { advanceToNextDeadline() }
      return recorder.elements.count >= count || recorder.ending != nil
    }
  }
}
