import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct WebPFramesTests {
  private let decoder = WebPDecoder()

  private func frames(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws -> any FrameDecoding {
    try #require(try decoder.makeFrameDecoder(data, options: options))
  }

  /// Lossless pictures with alpha at changing places, blended or not, cleared or not.
  static func mixture(_ count: Int, seed: UInt64) throws -> Data {
    var random = RepeatableNumbers(state: seed)
    var file = WebPBuilder(width: 24, height: 16, flags: 0x12)
    file.chunk("ANIM", [0, 0, 0, 0, 2, 0])
    for _ in 0..<count {
      let isFull = random.next() % 3 == 0
      let (width, height) = isFull ? (24, 16) : (Int(random.next() % 12) + 1, Int(random.next() % 8) + 1)
      let (x, y) = isFull ? (0, 0) : (Int(random.next() % 6), Int(random.next() % 4))
      let picture = try WebPEncoderTests.gradient(
        width: width, height: height, isOpaque: random.next() % 3 == 0)
      let bytes = try WebPEncoder().encode(Image(bitmap: picture), options: .webpLossless)
      let header: [UInt8] = [x, y, width - 1, height - 1, 50].flatMap { value in [UInt8(value), 0, 0] }
      file.chunk("ANMF", header + [UInt8(random.next() % 4)] + WebPBuilder.pictureChunk(of: bytes))
    }
    return file.data
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64], [false, true])
  func showsFramesInAnyOrder(seed: UInt64, partial: Bool) throws {
    let data = try Self.mixture(20, seed: seed)
    let options = DecodeOptions(allowsPartial: partial)
    let frames = try frames(data, options)
    var sequential: [Bitmap] = []
    for index in 0..<20 { sequential.append(try frames.frame(at: index)) }
    #expect(sequential[0] == (try decoder.decode(data, minimumSize: nil, options: options)).bitmap)
    var random = RepeatableNumbers(state: seed)
    for _ in 0..<200 {
      let index = Int(random.next() % 20)
      let frame = try frames.frame(at: index)
      #expect(frame == sequential[index], "frame \(index)")
      #expect(frame.isOpaque == sequential[index].isOpaque)
      if frame.isOpaque {
        frame.withUnsafeBytes { bytes in
          #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 })
        }
      }
    }
  }

  /// From the definition, in whole numbers: alpha by 255², colours weighed by both alphas, rounded to nearest.
  @Test func blendsAsDefined() {
    var random = RepeatableNumbers(state: 4)
    for _ in 0..<20_000 {
      var target = (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var source = (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if random.next() % 8 == 0 { target[3] = 255 }
      if random.next() % 8 == 0 { source[3] = [0, 255, 1, 254][Int(random.next() % 4)] }
      let (sa, da) = (Int(source[3]), Int(target[3]))
      let weight = sa * 255 + da * (255 - sa)
      var wanted = target
      if sa > 0 {
        for channel in 0..<3 {
          let sum = Int(source[channel]) * sa * 255 + Int(target[channel]) * da * (255 - sa)
          wanted[channel] = UInt8((2 * sum + weight) / (2 * weight))
        }
        wanted[3] = UInt8((2 * weight + 255) / 510)
      }
      target.withUnsafeMutableBytes { target in
        source.withUnsafeBytes { source in
          if let source = source.baseAddress, let target = target.baseAddress {
            WebPPixels.blend(source, over: target, count: 1)
          }
        }
      }
      #expect(target == wanted)
    }
  }

  @Test(
    arguments: [
      (0, 0x8f78_f8b9_6b07_dd95)
    ] as [(Int, UInt64)])
  func decodesLossyAndLosslessFrames(index: Int, fingerprint: UInt64) throws {
    let frames = try frames(Fixture.data("webp/gen-mixed-lossy-lossless.webp"))
    #expect(try frames.frame(at: index).fingerprint == fingerprint)
    #expect(frames.info.durations.map(\.wholeMilliseconds) == [70, 70, 70, 70])
  }

  @Test func hasNoFramesForAStill() throws {
    for name in ["size-16x16-lossy", "gen-single-frame"] {
      let data = try Fixture.data("webp/\(name).webp")
      #expect(try decoder.makeFrameDecoder(data, options: DecodeOptions()) == nil)
    }
  }

  @Test func refusesTooManyPixelsOfAllFramesTogether() throws {
    let data = try Fixture.data("webp/gen-delays.webp")
    let error = #expect(throws: ImagingError.self) {
      try frames(data, DecodeOptions(limits: DecodeLimits(maxTotalPixels: 100)))
    }
    guard case .limitExceeded(.totalPixels, _, 100) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    arguments: [
      "size-15x17-lossless", "size-16x16-lossy", "alpha-ramp-lossy", "gen-mixed-lossy-lossless", "gen-delays",
      "f-orientation-6-no-flag",
    ], [false, true])
  func givesWhatAWholeDecodeGivesWhileBytesArrive(name: String, partial: Bool) throws {
    var decodes = IncrementalDecodes(decoder: decoder)
    decodes.options.allowsPartial = partial
    decodes.options.readsMetadata = true
    let data = try Fixture.data("webp/\(name).webp")
    decodes.expectSameWhateverHappens(to: data, seed: 8, rounds: 25)
  }

  @Test(arguments: [EncodeOptions.webp(quality: 90), .webpLossless])
  func showsRowsAsTheyCome(options: EncodeOptions) throws {
    var random = RepeatableNumbers(state: 5)
    let source = try Bitmap(size: PixelSize(width: 256, height: 512)) { bytes in
      for at in 0..<bytes.count { bytes[at] = at % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: random.next()) }
      return true
    }
    let data = try WebPEncoder().encode(Image(bitmap: source), options: options)
    let whole = try decoder.decode(data, minimumSize: nil, options: DecodeOptions()).bitmap
    let incremental = try #require(decoder.makeIncrementalDecoder(options: DecodeOptions()))
    var shots = 0
    for start in stride(from: 0, to: data.count, by: 500) {
      try incremental.append(data.dropFirst(start).prefix(500))
      guard let image = try incremental.snapshot() else { continue }
      shots += 1
      #expect(image.isPartial)
      image.bitmap.withUnsafeBytes { got in
        whole.withUnsafeBytes { wanted in
          let rows = (0..<512).filter { got[1024 * $0 + 3] == 255 }
          #expect(rows == Array(0..<rows.count))
          #expect(got[..<(1024 * rows.count)].elementsEqual(wanted[..<(1024 * rows.count)]))
          #expect(got[(1024 * rows.count)...].allSatisfy { $0 == 0 })
        }
      }
    }
    #expect(shots >= 5)
    #expect(try incremental.finish().bitmap == whole)
  }

  @Test func showsFramesThatAreComplete() throws {
    let data = try Self.mixture(8, seed: 3)
    let all = try frames(data)
    let incremental = try #require(decoder.makeIncrementalDecoder(options: DecodeOptions()))
    var seen = 0
    for byte in data {
      try incremental.append(Data([byte]))
      while seen < incremental.completeFrameCount {
        #expect(try incremental.frame(at: seen) == all.frame(at: seen))
        #expect(try incremental.frame(at: seen / 2) == all.frame(at: seen / 2))
        seen += 1
      }
    }
    #expect(seen == 8)
    #expect(try incremental.finish().bitmap == all.frame(at: 0))
    #expect(incremental.info == all.info)
  }

  @Test func keepsThePromisesOfACoder() async throws {
    for (options, tolerance) in [(EncodeOptions.webpLossless, 0.0), (.webp(quality: 90), 12)] {
      var conformance = CoderConformance(
        decoder: decoder, encoder: WebPEncoder(),
        samples: [try Self.mixture(4, seed: 9), try Fixture.data("webp/alpha-ramp-lossy.webp")],
        tolerance: tolerance, encodeOptions: options)
      conformance.attempts = 200
      let complaints = await conformance.complaints()
      #expect(complaints.isEmpty, "\(complaints)")
    }
  }
}
