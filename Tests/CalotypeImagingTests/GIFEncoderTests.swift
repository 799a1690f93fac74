import CGIF
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct GIFEncoderTests {
  /// Pixels of few colours; 0 is transparent.
  private func picture(_ width: Int, _ height: Int, _ color: (Int, Int) -> UInt32) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height)) { bytes in
      for y in 0..<height {
        for x in 0..<width {
          bytes.storeBytes(of: color(x, y).littleEndian, toByteOffset: 4 * (y * width + x), as: UInt32.self)
        }
      }
      return false
    }
  }

  private static func color(_ number: Int) -> UInt32 {
    number == 0 ? 0 : UInt32(truncatingIfNeeded: number &* 0x9E37_79B1) | 0xFF00_0000
  }

  private func encoded(_ bitmaps: [Bitmap], loopCount: Int = 0, durations: [Int] = [120]) throws -> Data {
    let source = AnimationSource(frameCount: bitmaps.count, loopCount: loopCount) { index in
      AnimationSource.Frame(
        bitmap: bitmaps[index], duration: .milliseconds(durations[index % durations.count]))
    }
    return try GIFEncoder().encode(source, options: .gif)
  }

  private func frames(_ data: Data) throws -> [Bitmap] {
    guard let decoder = try GIFDecoder().makeFrameDecoder(data, options: DecodeOptions()) else {
      return [try GIFDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap]
    }
    return try (0..<decoder.info.frameCount).map { try decoder.frame(at: $0) }
  }

  @Test(arguments: [1, 2, 3, 5, 16, 17, 200, 256], [(1, 1), (3, 2), (300, 7), (90, 120)])
  func keepsFewColoursExactly(colors: Int, size: (Int, Int)) throws {
    let bitmap = try picture(size.0, size.1) { x, y in Self.color((x * 7 ^ y * 13) % colors + 1) }
    let data = try GIFEncoder().encode(Image(bitmap: bitmap), options: .gif)
    let image = try GIFDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
    #expect(image.bitmap == bitmap)
    #expect(image.info?.frameCount == 1)
    #expect(image.info?.hasAlpha == false)
  }

  @Test func fillsTheTableManyTimes() throws {
    var random = RepeatableNumbers(state: 5)
    let noise = (0..<256 * 256).map { _ in Int(random.next() % 256) }
    let bitmap = try picture(256, 256) { x, y in Self.color(noise[y * 256 + x]) }
    let data = try GIFEncoder().encode(Image(bitmap: bitmap), options: .gif)
    #expect(try GIFDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap == bitmap)
  }

  @Test func makesAlphaAllOrNothing() throws {
    let bitmap = try picture(4, 1) { x, _ in UInt32([0, 127, 128, 255][x]) << 24 | 0x20 }
    let data = try GIFEncoder().encode(Image(bitmap: bitmap), options: .gif)
    let image = try GIFDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
    image.bitmap.withUnsafeBytes { bytes in
      #expect(Array(bytes) == [0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 255, 0x20, 0, 0, 255])
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func keepsAnimationsThatGrowAndVanish(seed: UInt64) throws {
    var random = RepeatableNumbers(state: seed)
    var bitmaps: [Bitmap] = []
    for _ in 0..<10 {
      let shift = Int(random.next() % 5)
      let holes = Int(random.next() % 3)
      let more = Int(random.next() % 2) * 300
      bitmaps.append(
        try picture(19, 11) { x, y in
          (x + y + shift) % 5 < holes ? 0 : Self.color((x > 9 ? more : 0) + (x * y) % 40 + 1)
        })
    }
    bitmaps.append(bitmaps[9])
    let data = try encoded(bitmaps, loopCount: 3, durations: [15, 100, 40])
    let info = try GIFDecoder().probe(data, limits: .default)
    #expect(info.loopCount == 3)
    #expect(info.durations.map(\.wholeMilliseconds) == (0..<11).map { [20, 100, 40][$0 % 3] })
    let back = try frames(data)
    for index in bitmaps.indices { #expect(back[index] == bitmaps[index], "frame \(index)") }
  }

  @Test(arguments: [(0, 0), (1, 1), (2, 2), (65536, 65536)])
  func writesHowOftenItPlays(plays: Int, read: Int) throws {
    let bitmaps = [try picture(2, 2) { _, _ in Self.color(1) }, try picture(2, 2) { _, _ in Self.color(2) }]
    let info = try GIFDecoder().probe(encoded(bitmaps, loopCount: plays), limits: .default)
    #expect(info.loopCount == read)
  }

  @Test(arguments: [(0, 20), (14, 20), (16, 20), (25, 30), (94, 90), (1_000_000, 655_350)])
  func roundsDelays(milliseconds: Int, read: Int) throws {
    let bitmaps = [try picture(2, 2) { _, _ in Self.color(1) }, try picture(2, 2) { _, _ in Self.color(2) }]
    let data = try encoded(bitmaps, durations: [milliseconds])
    #expect(
      try GIFDecoder().probe(data, limits: .default).durations.map(\.wholeMilliseconds) == [read, read])
  }

  @Test func writesOnlyWhatChanges() throws {
    let still = try picture(200, 200) { x, y in Self.color((x * 31 ^ y * 17) % 256 + 1) }
    let moved = try picture(200, 200) { x, y in
      x == 50 && y == 60 ? Self.color(7) : Self.color((x * 31 ^ y * 17) % 256 + 1)
    }
    let one = try encoded([still]).count
    let two = try encoded([still, moved, still]).count
    #expect(two < one + 2 * 1000)
  }

  @Test func comesCloseToManyColours() throws {
    let source = try WebPEncoderTests.gradient(width: 120, height: 90)
    let data = try GIFEncoder().encode(Image(bitmap: source), options: .gif)
    let back = try GIFDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap
    let (a, b) = (source.withUnsafeBytes { Array($0) }, back.withUnsafeBytes { Array($0) })
    let error = zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    #expect(error < 20 * a.count)
  }

  @Test func refusesWhatTheFormatCannotHold() throws {
    let wide = try picture(GIFEncoder.maxSide + 1, 1) { _, _ in 0 }
    let error = #expect(throws: ImagingError.self) {
      try GIFEncoder().encode(Image(bitmap: wide), options: .gif)
    }
    #expect(error?.code == "invalidParameter")
    let sizes = [try picture(2, 2) { _, _ in 0 }, try picture(2, 3) { _, _ in 0 }]
    #expect(throws: ImagingError.self) { try encoded(sizes) }
    #expect(throws: ImagingError.self) { try encoded([]) }
    #expect(throws: ImagingError.self) {
      let small = try picture(2, 2) { _, _ in 0 }
      return try GIFEncoder().encode(
        Image(bitmap: small), options: EncodeOptions(format: .gif, isLossless: true))
    }
  }

  @Test func stopsWhenItsTaskIsCancelled() async throws {
    let bitmap = try WebPEncoderTests.gradient(width: 64, height: 64)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try GIFEncoder().encode(Image(bitmap: bitmap), options: .gif)
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }

  @Test func keepsThePromisesOfACoder() async throws {
    var conformance = CoderConformance(
      decoder: GIFDecoder(), encoder: GIFEncoder(),
      samples: [GIFFramesTests.mixture(5, seed: 9), try Fixture.data("gif/loop-2.gif")], tolerance: 12,
      keepsAlpha: false)
    conformance.attempts = 300
    let complaints = await conformance.complaints()
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test func framesShareAPalette() throws {
    // Each frame has colours that the first lacks, and all together fit.
    let bitmaps = try (0..<6).map { frame in
      try picture(40, 30) { x, y in Self.color(1 + (x + y) % 20 + frame * 30) }
    }
    let data = try encoded(bitmaps)
    #expect(try frames(data) == bitmaps)
    // The flags of a frame's descriptor say that it has no table of its own.
    let structure = try GIFStructure(data.bytes, limits: .default)
    #expect(structure.frames.count == 6)
    #expect(data.count < 6 * 1200)
  }

  @Test(arguments: EncodeOptions.Effort.allCases) func aFullTableIsKeptAsLongAsItHelps(
    _ effort: EncodeOptions.Effort
  ) throws {
    // Statistics stay the same, so a table that was learned once is as good as a new one.
    var random = RepeatableNumbers(state: 11)
    let noise = (0..<256 * 256).map { _ in Int(random.next() % 7) + 1 }
    let bitmap = try picture(256, 256) { x, y in Self.color(noise[y * 256 + x]) }
    var options = EncodeOptions.gif
    options.effort = effort
    let data = try GIFEncoder().encode(Image(bitmap: bitmap), options: options)
    #expect(try frames(data) == [bitmap])
    if effort != .fast {
      options.effort = .fast
      #expect(data.count < (try GIFEncoder().encode(Image(bitmap: bitmap), options: options).count))
    }
  }

  @Test func lossMakesSmallerFilesOfSimilarPixels() throws {
    let bitmap = try picture(200, 150) { x, y in
      let red = UInt32(x / 13 * 16), green = UInt32(y / 11 * 18)
      return red | green << 8 | UInt32((x * 7 ^ y * 3) & 7) << 16 | 0xFF00_0000
    }
    let exact = try GIFEncoder().encode(Image(bitmap: bitmap), options: .gif)
    var last = exact.count
    for loss in [4, 12, 30] {
      var options = EncodeOptions.gif
      options[.loss] = loss
      let data = try GIFEncoder().encode(Image(bitmap: bitmap), options: options)
      #expect(data.count < last, "\(loss)")
      last = data.count
      let (old, new) = (try frames(exact)[0], try frames(data)[0])
      var worst = 0, sum = 0
      for (a, b) in zip(ResamplePictures.bytes(old), ResamplePictures.bytes(new)) {
        worst = max(worst, abs(Int(a) - Int(b)))
        sum += abs(Int(a) - Int(b))
      }
      // The mean of a pixel's own difference and that with its neighbourhood is bounded, weighted by 2, 4 and 1 of 7.
      #expect(worst > 0 && worst <= loss * 4, "\(loss): \(worst)")
      #expect(sum <= old.byteCount * loss)
    }
    for value in ["-1", "65", "x"] {
      var options = EncodeOptions.gif
      options.extras["loss"] = value
      #expect(throws: ImagingError.invalidParameter(name: "loss", reason: "\(value) is not 0 to 64")) {
        try GIFEncoder().encode(Image(bitmap: bitmap), options: options)
      }
    }
  }

  @Test func pixelsStayWithinTheToleranceOfFrames() throws {
    var random = RepeatableNumbers(state: 3)
    let noise = (0..<5).map { _ in (0..<900).map { _ in UInt32(random.next() % 5) } }
    let bitmaps = try noise.map { noise in
      try picture(30, 30) { x, y in UInt32(100 + noise[y * 30 + x]) | 0xFF00_6400 }
    }
    let source = AnimationSource(frameCount: 5, loopCount: 0) { index in
      AnimationSource.Frame(bitmap: bitmaps[index], duration: .milliseconds(50))
    }
    let exact = try GIFEncoder().encode(source, options: .gif)
    var options = EncodeOptions.gif
    options[.frameTolerance] = 4
    let steady = try GIFEncoder().encode(source, options: options)
    #expect(steady.count * 2 < exact.count)
    for (old, new) in zip(bitmaps, try frames(steady)) {
      for (a, b) in zip(ResamplePictures.bytes(old), ResamplePictures.bytes(new)) {
        #expect(abs(Int(a) - Int(b)) <= 4)
      }
    }
    // A difference beyond it is drawn.
    options[.frameTolerance] = 1
    #expect(try GIFEncoder().encode(source, options: options).count > steady.count)
  }

  @Test func framesOfFewColoursHaveShortCodes() throws {
    // Colours of the first frame that sort in front of those of the others.
    let bitmaps = try (0..<4).map { frame in
      try picture(60, 40) { x, y in
        if frame > 0, x < 20 { return UInt32(0xFFF0_0000) | UInt32((x + y + frame) % 3) }
        return UInt32(0xFF00_0000) | UInt32((x * 3 + y * 5) % 100 + 1)
      }
    }
    let data = try encoded(bitmaps)
    #expect(try frames(data) == bitmaps)
    let structure = try GIFStructure(data.bytes, limits: .default)
    let sizes = structure.frames.map { data[data.startIndex + $0.dataStart - 1] }
    #expect(sizes == [7, 2, 2, 2])
  }

  @Test(arguments: EncodeOptions.Effort.allCases)
  func pixelsThatAreThereAreDrawnAsItSuits(effort: EncodeOptions.Effort) throws {
    // Noise over a pattern: neither all of the pattern nor none of it makes long strings.
    var random = RepeatableNumbers(state: 11)
    let noise = (0..<60 * 60).map { _ in random.next() % 4 == 0 }
    let indices = (0..<60 * 60).map { at in noise[at] ? UInt8(9) : UInt8(at / 6 % 3 + 1) }
    let frame = GIFIndices(
      indices: indices, unchanged: noise.enumerated().map { $1 ? 0 : $0 % 7 == 0 ? 0 : 1 })
    let colors = (0..<16).map { Palette.Color(red: $0 * 16, green: 0, blue: 0, alpha: $0 == 0 ? 0 : 255) }
    let compressor = GIFCompressor(effort: effort, loss: 0)
    let free = try compressor.smallest(of: frame, colors: colors, transparent: 0)
    let painted = try compressor.smallest(of: GIFIndices(indices: indices), colors: colors, transparent: 0)
    let clear = try compressor.smallest(of: frame.clearing(0), colors: colors, transparent: 0)
    #expect(free.data.count <= clear.data.count)
    #expect(clear.hasTransparency && !painted.hasTransparency)
    guard effort != .fast else { return }
    #expect(free.data.count < min(painted.data.count, clear.data.count) && free.hasTransparency)
    // Each pixel is right.
    var shown = [UInt8](repeating: 0, count: indices.count + Int(CGIF_LZW_SLACK))
    var state = cgif_lzw()
    cgif_lzw_start(&state, UInt32(free.data[free.data.startIndex]))
    var rest = free.data.dropFirst()
    while let length = rest.first, length > 0 {
      let block = Array(rest.dropFirst().prefix(Int(length)))
      _ = cgif_lzw_feed(&state, block, block.count, &shown, indices.count)
      rest = rest.dropFirst(Int(length) + 1)
    }
    #expect(state.written == indices.count)
    for at in indices.indices {
      #expect(shown[at] == indices[at] || shown[at] == 0 && frame.unchanged?[at] == 1)
    }
  }

  @Test func onlyThePixelsThatBecomeTransparentAreCleared() throws {
    // A spot that wanders over a transparent canvas.
    let bitmaps = try (0..<5).map { frame in
      try picture(100, 80) { x, y in
        x / 4 == frame + 2 && y / 4 == 3 ? Self.color(2) : 0
      }
    }
    let data = try encoded(bitmaps)
    #expect(try frames(data) == bitmaps)
    let structure = try GIFStructure(data.bytes, limits: .default)
    #expect(structure.frames.dropFirst().allSatisfy { $0.size == PixelSize(width: 4, height: 4) })
  }
}
