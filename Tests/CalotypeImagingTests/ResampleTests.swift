import CPixels
@testable import CalotypeImaging
import Testing

@Suite struct ResampleTests {
  typealias Pictures = ResamplePictures

  static let sizes = [
    ((61, 47), (20, 16)), ((61, 47), (60, 46)), ((61, 47), (61, 5)), ((61, 47), (3, 47)),
    ((40, 30), (10, 15)),
    ((7, 5), (31, 23)), ((7, 5), (7, 50)), ((33, 1), (8, 1)), ((1, 33), (1, 8)), ((2, 2), (1, 1)),
    ((1, 1), (9, 4)), ((3, 2), (2, 3)), ((300, 4), (1, 1)),
  ].map { (PixelSize(width: $0.0, height: $0.1), PixelSize(width: $1.0, height: $1.1)) }

  @Test(arguments: ResamplePictures.weighing, [true, false])
  func agreesWithATextbookLoop(filter: ResampleFilter, opaque: Bool) throws {
    for (from, to) in Self.sizes {
      let source = try Pictures.noise(from.width, from.height, opaque: opaque)
      let result = try source.resampled(to: to, filter: filter)
      #expect(result.size == to)
      #expect(result.isOpaque == opaque)
      var bytes = Pictures.bytes(result)
      if !opaque { bytes = Pictures.premultiplied(bytes) }
      let expected = ReferenceResample.resample(source, to: to, filter: filter)
      #expect(Self.difference(bytes, expected, opaque: opaque) <= 1, "\(from) to \(to)")
    }
  }

  /// The largest difference. A premultiplied result whose colour exceeds its alpha cannot be expressed straight:
  /// the library clamps it, so the reference is clamped too.
  static func difference(_ bytes: [UInt8], _ expected: [UInt8], opaque: Bool) -> Int {
    guard !opaque else { return Pictures.largestDifference(bytes, expected) }
    var clamped = expected
    for index in clamped.indices where index % 4 != 3 {
      clamped[index] = min(clamped[index], clamped[index / 4 * 4 + 3])
    }
    return Pictures.largestDifference(bytes, clamped)
  }

  @Test(arguments: [
    Bitmap.Region(x: 0.5, y: 0, width: 40, height: 47), Bitmap.Region(x: 3, y: 5, width: 20, height: 11),
    Bitmap.Region(x: 10.25, y: 20.75, width: 0.5, height: 26.25),
    Bitmap.Region(x: 60, y: 46, width: 1, height: 1),
  ])
  func regionsAreCutsOfTheWhole(region: Bitmap.Region) throws {
    let source = try Pictures.noise(61, 47)
    for size in [PixelSize(width: 10, height: 9), PixelSize(width: 20, height: 11)] {
      let result = try source.resampled(to: size, from: region)
      let expected = ReferenceResample.resample(source, to: size, from: region, filter: .lanczos3)
      #expect(Pictures.largestDifference(Pictures.bytes(result), expected) <= 1)
    }
  }

  @Test func wholePixelRegionsAtTheirOwnSizeAreCopies() throws {
    let source = try Pictures.noise(20, 10)
    for filter in ResampleFilter.allCases {
      let cut = try source.resampled(
        to: PixelSize(width: 5, height: 4), from: Bitmap.Region(x: 7, y: 6, width: 5, height: 4),
        filter: filter)
      let all = Pictures.bytes(source)
      var expected: [UInt8] = []
      for y in 6..<10 {
        let first = (y * 20 + 7) * 4
        expected += all[first..<(first + 20)]
      }
      #expect(Pictures.bytes(cut) == expected)
    }
  }

  @Test func nothingToDoReturnsTheSamePixels() throws {
    let source = try Pictures.noise(9, 9)
    let result = try source.resampled(to: source.size)
    let addresses = [source, result].map { bitmap in bitmap.withUnsafeBytes { $0.baseAddress } }
    #expect(addresses[0] == addresses[1])
  }

  @Test(arguments: ResampleFilter.allCases)
  func oneColourStaysOneColour(filter: ResampleFilter) throws {
    for value in [[0, 0, 0, 255], [255, 255, 255, 255], [1, 127, 254, 255], [200, 100, 50, 77]] as [[UInt8]] {
      let source = try Pictures.make(97, 53, opaque: value[3] == 255) { _, _ in value }
      for size in [(13, 7), (200, 120), (1, 1), (97, 3)] {
        let bytes = Pictures.bytes(
          try source.resampled(to: PixelSize(width: size.0, height: size.1), filter: filter))
        // Eight bits of premultiplied colour: at alpha 77, a step is 255 / 77.
        let tolerance = value[3] == 255 ? 0 : 2
        for (channel, expected) in value.enumerated() {
          let values = stride(from: channel, to: bytes.count, by: 4).map { Int(bytes[$0]) }
          let difference = values.reduce(0) { max($0, abs($1 - Int(expected))) }
          #expect(difference <= (channel == 3 ? 0 : tolerance), "\(value) at \(size)")
        }
      }
    }
  }

  @Test func rampsStayStraight() throws {
    let source = try Pictures.make(256, 64) { x, _ in [UInt8(x), UInt8(255 - x), 0, 255] }
    let result = Pictures.bytes(try source.resampled(to: PixelSize(width: 64, height: 16)))
    // Output x covers the source from 4x to 4x + 4, whose mean is 4x + 1.5. Edges are flattened by cut-off windows.
    for x in 3..<61 {
      #expect(abs(Double(result[x * 4]) - (Double(4 * x) + 1.5)) <= 1)
      #expect(abs(Double(result[x * 4 + 1]) - (253.5 - Double(4 * x))) <= 1)
    }
    let enlarged = Pictures.bytes(
      try source.resampled(to: PixelSize(width: 512, height: 64), filter: .bilinear))
    for x in 1..<511 { #expect(abs(Double(enlarged[x * 4]) - (Double(x) / 2 - 0.25)) <= 1) }
  }

  @Test(arguments: ResamplePictures.weighing, [true, false])
  func mirroringCommutes(filter: ResampleFilter, opaque: Bool) throws {
    let source = try Pictures.noise(83, 59, opaque: opaque)
    for size in [(17, 11), (40, 59), (100, 71), (1, 1), (2, 2)] {
      let size = PixelSize(width: size.0, height: size.1)
      for horizontally in [true, false] {
        let before = try Pictures.mirrored(source, horizontally: horizontally).resampled(
          to: size, filter: filter)
        let after = try Pictures.mirrored(
          source.resampled(to: size, filter: filter), horizontally: horizontally)
        #expect(before == after)
      }
    }
  }

  @Test func transparentNeighboursLeaveNoFringe() throws {
    // Opaque green beside transparent pixels that are red underneath.
    let source = try Pictures.make(64, 64, opaque: false) { x, _ in
      x < 29 ? [0, 255, 0, 255] : [255, 0, 0, 0]
    }
    let result = Pictures.bytes(try source.resampled(to: PixelSize(width: 11, height: 11)))
    var partial = 0
    for first in stride(from: 0, to: result.count, by: 4) {
      let pixel = Array(result[first..<(first + 4)])
      if pixel[3] == 0 {
        #expect(pixel == [0, 0, 0, 0])
      } else {
        #expect(Array(pixel[0..<3]) == [0, 255, 0])
      }
      if pixel[3] != 0, pixel[3] != 255 { partial += 1 }
    }
    #expect(partial > 0)
  }

  @Test func allInstructionSetsGiveTheSameBytes() throws {
    let sizes =
      Self.sizes + [
        (PixelSize(width: 517, height: 391), PixelSize(width: 100, height: 75)),
        (PixelSize(width: 1000, height: 20), PixelSize(width: 3, height: 19)),
      ]
    for (from, to) in sizes {
      for opaque in [true, false] {
        let source = try Pictures.noise(from.width, from.height, opaque: opaque, seed: 7)
        for filter in ResampleFilter.allCases {
          let levels = try [CPX_LEVEL_PORTABLE, CPX_LEVEL_SIMD128, CPX_LEVEL_SIMD256, CPX_LEVEL_SIMD512].map {
            try source.resampled(to: to, from: nil, filter: filter, pool: .shared, level: $0)
          }
          #expect(levels.allSatisfy { $0 == levels[0] }, "\(from) to \(to) \(filter)")
        }
      }
    }
  }

  @Test func premultiplyingIsExactForAllBytes() throws {
    // At twice the height nothing but the round trip remains: box rows are copies.
    let source = try Pictures.make(256, 256, opaque: false) { x, y in [UInt8(x), 255, 0, UInt8(y)] }
    for level in [CPX_LEVEL_PORTABLE, CPX_LEVEL_SIMD128, CPX_LEVEL_SIMD256, CPX_LEVEL_SIMD512] {
      let result = Pictures.bytes(
        try source.resampled(
          to: PixelSize(width: 256, height: 512), from: nil, filter: .box, pool: .shared, level: level))
      for alpha in 0..<256 {
        for colour in 0..<256 {
          let premultiplied = (colour * alpha + 127) / 255
          let straight = alpha == 0 ? 0 : min(255, (premultiplied * 255 + alpha / 2) / alpha)
          let first = ((alpha * 2) * 256 + colour) * 4
          guard result[first] != UInt8(straight) || result[first + 3] != UInt8(alpha) else { continue }
          Issue.record("colour \(colour), alpha \(alpha): \(result[first]) instead of \(straight)")
          return
        }
      }
    }
  }

  @Test func extremeShapes() throws {
    let white = try Pictures.make(100_000, 1) { _, _ in [255, 255, 255, 255] }
    #expect(Pictures.bytes(try white.resampled(to: PixelSize(width: 1, height: 1))) == [255, 255, 255, 255])
    // Averaged in cells first, the last of them smaller: the whole still has its mean.
    for opaque in [true, false] {
      let ramp = try Pictures.make(70_001, 1, opaque: opaque) { x, _ in
        [UInt8(x * 255 / 70_000), 255, 0, 255]
      }
      for length in [1, 7, 300] {
        let bytes = Pictures.bytes(try ramp.resampled(to: PixelSize(width: length, height: 1), filter: .box))
        for x in 0..<length {
          let expected = (Double(x) + 0.5) / Double(length) * 255 - 0.5
          #expect(abs(Double(bytes[x * 4]) - expected) <= 1.5)
          #expect(bytes[x * 4 + 1] == 255)
        }
      }
    }
    let tall = try Pictures.noise(1, 70_000)
    let dot = Pictures.bytes(try tall.resampled(to: PixelSize(width: 1, height: 1), filter: .box))
    let mean = Pictures.bytes(tall).enumerated().filter { $0.offset % 4 == 0 }.reduce(0.0) {
      $0 + Double($1.element)
    }
    #expect(abs(Double(dot[0]) - mean / 70_000) <= 1)
    let enlarged = try Pictures.make(1, 1) { _, _ in [1, 2, 3, 255] }.resampled(
      to: PixelSize(width: 5000, height: 1))
    #expect(Set(Pictures.bytes(enlarged)) == [1, 2, 3, 255])
  }

  @Test func cellsShowInNoByte() throws {
    // One axis just long enough to be averaged first, against the textbook on all pixels.
    let source = try Pictures.noise(65_601, 1)
    let result = try source.resampled(to: PixelSize(width: 9, height: 1))
    let expected = ReferenceResample.resample(source, to: result.size, filter: .lanczos3)
    #expect(Pictures.largestDifference(Pictures.bytes(result), expected) <= 1)
  }

  @Test func refusesNonsense() throws {
    let source = try Pictures.noise(10, 10)
    let nan = Bitmap.Region(x: .nan, y: 0, width: 1, height: 1)
    let regions = [
      nan, Bitmap.Region(x: -1, y: 0, width: 5, height: 5), Bitmap.Region(x: 6, y: 0, width: 5, height: 5),
      Bitmap.Region(x: 0, y: 0, width: 0, height: 5), Bitmap.Region(x: 0, y: 0, width: 5, height: .infinity),
    ]
    for region in regions {
      #expect(throws: ImagingError.self) {
        try source.resampled(to: PixelSize(width: 2, height: 2), from: region)
      }
    }
    for size in [PixelSize(width: 0, height: 5), PixelSize(width: 5, height: -1)] {
      #expect(throws: ImagingError.self) { try source.resampled(to: size) }
    }
    #expect(throws: ImagingError.self) {
      try source.resampled(to: PixelSize(width: 1 << 40, height: 1))
    }
  }

  @Test func stopsWhenCancelled() async throws {
    let source = try Pictures.noise(200, 200)
    let task = Task { () throws -> Bitmap in
      withUnsafeCurrentTask { $0?.cancel() }
      return try source.resampled(to: PixelSize(width: 50, height: 50))
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
    let long = try Pictures.noise(70_000, 1)
    let other = Task { () throws -> Bitmap in
      withUnsafeCurrentTask { $0?.cancel() }
      return try long.resampled(to: PixelSize(width: 5, height: 1))
    }
    await #expect(throws: ImagingError.cancelled) { try await other.value }
  }

  @Test func givesAllMemoryBack() throws {
    let pool = PixelPool(byteLimit: 1 << 20)
    let source = try Pictures.noise(50, 40, opaque: false)
    do {
      let small = try source.resampled(to: PixelSize(width: 10, height: 8), pool: pool)
      #expect(pool.statistics.bytesInUse == PixelPool.capacity(for: small.byteCount))
    }
    #expect(pool.statistics.bytesInUse == 0)
  }
}

@Suite struct FilterBankTests {
  @Test(arguments: ResampleFilter.allCases)
  func weightsSumToOneAndStayInBounds(filter: ResampleFilter) throws {
    for (length, count) in [(1, 1), (1, 50), (2, 3), (10, 3), (100, 99), (99, 100), (4000, 320), (65_536, 1)]
    {
      let axis = ResampleAxis(length: length, start: 0, extent: Double(length), count: count)
      let bank = try FilterBank(axis: axis, filter: filter, pool: .shared)
      for output in 0..<count {
        let (start, weights) = bank.weights(of: output)
        #expect(weights.reduce(0, +) == 1 << bank.precision)
        #expect(start >= 0 && start + weights.count <= length)
        #expect(weights.allSatisfy { abs($0) <= FilterBank.largestWeight })
        let magnitudes = weights.reduce(0) { $0 + abs($1) }
        #expect(magnitudes * 255 + (1 << bank.precision) / 2 <= Int(Int32.max))
      }
    }
  }

  @Test func precisionGrowsWithTheFactor() throws {
    func precision(_ length: Int, _ count: Int) throws -> Int {
      let axis = ResampleAxis(length: length, start: 0, extent: Double(length), count: count)
      return try FilterBank(axis: axis, filter: .lanczos3, pool: .shared).precision
    }
    #expect(try precision(100, 200) == 13)
    #expect(try precision(4000, 1000) == 15)
    #expect(try precision(65_536, 1) == 22)
  }
}
