import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// An animation that is cut off, or damaged, is the same to all who read it, and never stands for the whole.
@Suite("Cut off and damaged animations") struct CutAnimationTests {
  private enum Outcome: Equatable {
    case frames([Bitmap], isDamaged: [Bool])
    case failure(code: String)

    var summary: String {
      switch self {
      case .frames(let frames, let isDamaged): "\(frames.count) frames, \(isDamaged)"
      case .failure(let code): code
      }
    }

    init(_ body: () throws -> Outcome) {
      do {
        self = try body()
      } catch {
        self = .failure(code: (error as? ImagingError)?.code ?? "\(error)")
      }
    }
  }

  private static func whole(_ data: Data, _ options: DecodeOptions) -> Outcome {
    Outcome {
      let image = try AnimatedImage(data: data, options: options)
      let frames = try (0..<image.frameCount).map { try image.frame(at: $0) }
      return .frames(frames.map(\.bitmap), isDamaged: frames.map(\.isDamaged))
    }
  }

  private static func fed(_ data: Data, _ options: DecodeOptions, size: Int) -> Outcome {
    Outcome {
      let decoder = CoderRegistry.standard.makeIncrementalDecoder(options: options)
      var early: [Bitmap] = []
      for start in stride(from: 0, to: data.count, by: size) {
        try decoder.append(data.dropFirst(start).prefix(size))
        while early.count < decoder.completeFrameCount {
          early.append(try decoder.frame(at: early.count).bitmap)
        }
      }
      let still = try decoder.finish()
      var frames: [Bitmap] = []
      var isDamaged: [Bool] = []
      for index in 0..<decoder.completeFrameCount {
        let frame = try decoder.frame(at: index)
        frames.append(frame.bitmap)
        isDamaged.append(frame.isDamaged)
      }
      if frames.isEmpty { (frames, isDamaged) = ([still.bitmap], [still.isDamaged]) }
      // What was shown while it came was right.
      #expect(early.prefix(frames.count).elementsEqual(frames.prefix(early.count)))
      return .frames(frames, isDamaged: isDamaged)
    }
  }

  private static func animations() throws -> [(name: String, data: Data)] {
    let names = [
      "png/dispose-background-blend-source.png", "gif/loop-2.gif",
      "webp/gen-mixed-lossy-lossless.webp",
    ]
    return try names.map { ($0, try Fixture.data($0)) } + [
      ("mixture.gif", GIFFramesTests.mixture(5, seed: 3)), ("small.png", PNGAnimationTests.threeFrames),
    ]
  }

  @Test(
    "cut off anywhere: truncated, for stills and animations, whole and in pieces",
    arguments: DamagePolicy.allCases)
  func cut(policy: DamagePolicy) throws {
    let options = DecodeOptions(damage: policy)
    for (name, data) in try Self.animations() {
      let count = try CoderRegistry.standard.probe(data).frameCount
      try #require(count > 1)
      let step = max(1, data.count / 300)
      var skipped = 0
      for length in stride(from: 16, to: data.count, by: step) {
        let cut = data.prefix(length)
        // The trailer of a GIF may be missing behind any block, and the checksum of nothing.
        let mayBeWhole =
          name.hasSuffix(".png")
          ? length > data.count - 5
          : name.hasSuffix(".gif") && (try? GIFStructure(cut.bytes, limits: .default))?.isTruncated != true
        if mayBeWhole {
          skipped += 1
          continue
        }
        let still = #expect(throws: ImagingError.self, "\(name), \(length) bytes") {
          _ = try CoderRegistry.standard.decode(cut, options: options)
        }
        #expect(still?.code == "truncated", "\(name), \(length) bytes: \(String(describing: still))")
        let (fed, whole) = (Self.fed(cut, options, size: 61), Self.whole(cut, options))
        #expect((fed == whole) == true, "\(name), \(length) bytes: \(fed.summary) and \(whole.summary)")
      }
      #expect(skipped < 60, "\(name)")
    }
  }

  @Test("damaged anywhere: the same frames and marks, whole and in pieces", arguments: DamagePolicy.allCases)
  func damaged(policy: DamagePolicy) throws {
    let options = DecodeOptions(limits: DecodeLimits(maxPixels: 1 << 20), damage: policy)
    var random = RepeatableNumbers(state: 17)
    for (name, data) in try Self.animations() {
      var shown = 0
      for _ in 0..<400 {
        var broken = data
        let at = Int(random.next() % UInt64(data.count))
        broken[at] ^= UInt8(1 << (random.next() % 8))
        let whole = Self.whole(broken, options)
        let fed = Self.fed(broken, options, size: 61)
        if case .frames = whole { shown += 1 }
        switch (whole, fed) {
        // Of several things that are wrong, whoever reads in pieces meets the first first.
        case (.failure, .failure): break
        // Bitmaps would fill the screen.
        default: #expect((whole == fed) == true, "\(name), byte \(at): \(whole.summary) and \(fed.summary)")
        }
      }
      #expect(shown > 0, "\(name)")
    }
  }

  @Test("a frame of a GIF without a single pixel shows what was there before, and is damaged")
  func emptyFrame() throws {
    var gif = GIFBuilder(width: 2, height: 1)
    gif.frame(width: 2, height: 1, pixels: [0, 1])
    // A code that nothing defines, first of all.
    gif.frame(width: 2, height: 1, codes: [(4, 3), (7, 3), (5, 3)])
    gif.frame(width: 2, height: 1, codeSize: 12, codes: [(0, 3)])
    gif.frame(width: 1, height: 1, pixels: [2])
    let options = DecodeOptions()
    let outcome = Self.whole(gif.data, options)
    guard case .frames(let frames, let isDamaged) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(frames[1] == frames[0] && frames[2] == frames[0] && frames[3] != frames[0])
    #expect(isDamaged == [false, true, true, true])
    #expect(Self.fed(gif.data, options, size: 7) == outcome)
    #expect(Self.whole(gif.data, DecodeOptions(damage: .strict)) == .failure(code: "corrupt"))
    // There is nothing to show in place of the first.
    var first = GIFBuilder(width: 2, height: 1)
    first.frame(width: 2, height: 1, codes: [(4, 3), (7, 3), (5, 3)])
    first.frame(width: 2, height: 1, pixels: [0, 1])
    #expect(Self.whole(first.data, options) == .failure(code: "corrupt"))
  }
}
