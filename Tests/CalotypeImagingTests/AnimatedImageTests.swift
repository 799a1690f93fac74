import CalotypeImaging
import FoundationEssentials
import Synchronization
import Testing

/// Frames on demand: in any order, from many threads, with bounded memory.
@Suite("Animated image")
struct AnimatedImageTests {
  static let files = ["gif/loop-2.gif", "webp/gen-delays.webp", "png/dispose-background-blend-source.png"]

  @Test("any order gives the frames of the order of time", arguments: files)
  func order(file: String) throws {
    let data = try Fixture.data(file)
    let animation = try AnimatedImage(data: data)
    #expect(animation.frameCount > 1)
    let sequence = try (0..<animation.frameCount).map { try animation.frame(at: $0).bitmap }
    #expect(sequence[0] == (try CoderRegistry.standard.decode(data).bitmap))
    for index in sequence.indices.reversed() {
      #expect(try animation.frame(at: index).bitmap == sequence[index])
    }
    for index in [-1, animation.frameCount, .max] {
      #expect(throws: ImagingError.self) { try animation.frame(at: index) }
      #expect(animation.duration(of: index) == .zero)
    }
    #expect((0..<animation.frameCount).map { animation.duration(of: $0) } == animation.info.durations)
  }

  @Test("options hold for every frame")
  func options() throws {
    let data = try Fixture.data("gif/loop-2.gif")
    let animation = try AnimatedImage(
      data: data, options: DecodeOptions(thumbnail: .stretch(width: 3, height: 2)))
    for index in 0..<animation.frameCount {
      #expect(try animation.frame(at: index).bitmap.size == PixelSize(width: 3, height: 2))
    }
  }

  @Test("a still image is an animation of one frame")
  func still() throws {
    let data = try Fixture.data("Corpus/jpeg/exif/f-orientation-6.jpg")
    let animation = try AnimatedImage(data: data)
    #expect(animation.frameCount == 1 && animation.loopCount == 1 && animation.duration(of: 0) == .zero)
    #expect(try animation.frame(at: 0).bitmap == CoderRegistry.standard.decode(data).bitmap)
    #expect(throws: ImagingError.self) { try animation.frame(at: 1) }
  }

  @Test("many threads see the same frames", arguments: files)
  func threads(file: String) async throws {
    let animation = try AnimatedImage(data: try Fixture.data(file))
    let sequence = try (0..<animation.frameCount).map { try animation.frame(at: $0).bitmap }
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask { @concurrent in
          for step in 0..<50 {
            let index = (step * (task + 1) + task) % sequence.count
            let frame = try? animation.frame(at: index).bitmap
            #expect(frame == sequence[index])
          }
        }
      }
    }
  }

  /// Counts the decoders that live, and the frames they compose.
  private final class Counter: Sendable {
    let alive = Atomic<Int>(0)
    let composed = Atomic<Int>(0)
  }

  private struct Counting: ImageDecoding {
    let counter: Counter
    var formats: [ImageFormat] { [ImageFormat(rawValue: "counting")] }
    func format(of prefix: Data) -> ImageFormat? { formats[0] }
    func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
      ImageInfo(
        format: formats[0], size: PixelSize(width: 1, height: 1), frameCount: 100,
        durations: Array(repeating: .milliseconds(100), count: 100))
    }
    func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image {
      Image(
        bitmap: try Bitmap(size: PixelSize(width: 1, height: 1)) {
          $0.initializeMemory(as: UInt8.self, repeating: 9); return true
        })
    }
    func makeFrameDecoder(_ data: Data, options: DecodeOptions) throws(ImagingError) -> (any FrameDecoding)? {
      Frames(counter: counter, info: try probe(data, limits: options.limits))
    }
  }

  private final class Frames: FrameDecoding {
    let counter: Counter
    let info: ImageInfo
    var next = 0

    init(counter: Counter, info: ImageInfo) {
      self.counter = counter
      self.info = info
      counter.alive.add(1, ordering: .relaxed)
    }

    deinit { counter.alive.subtract(1, ordering: .relaxed) }

    func frame(at index: Int) throws(ImagingError) -> Bitmap {
      if index < next { next = 0 }
      counter.composed.add(index + 1 - next, ordering: .relaxed)
      next = index + 1
      return try Bitmap(size: PixelSize(width: 1, height: 1)) {
        $0.initializeMemory(as: UInt8.self, repeating: UInt8(index)); return true
      }
    }
  }

  @Test("playing costs each frame once, and few decoders are kept")
  func cost() async throws {
    let counter = Counter()
    var coders = CoderRegistry()
    coders.register(Counting(counter: counter))
    do {
      let animation = try AnimatedImage(data: Data([1]), coders: coders)
      for index in 0..<100 { _ = try animation.frame(at: index) }
      #expect(counter.composed.load(ordering: .relaxed) == 100)
      #expect(counter.alive.load(ordering: .relaxed) == 1)
      // One that looks back does not disturb one that plays.
      for index in 0..<100 {
        _ = try animation.frame(at: index)
        _ = try animation.frame(at: 0)
      }
      #expect(counter.composed.load(ordering: .relaxed) <= 100 + 100 + 100 + 1)
      await withTaskGroup(of: Void.self) { group in
        for task in 0..<16 {
          group.addTask { @concurrent in
            for step in 0..<50 { _ = try? animation.frame(at: (step * 7 + task) % 100) }
          }
        }
      }
      #expect(counter.alive.load(ordering: .relaxed) <= 2)
    }
    #expect(counter.alive.load(ordering: .relaxed) == 0)
  }
}
