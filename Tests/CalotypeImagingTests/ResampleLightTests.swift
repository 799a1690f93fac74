import CPixels
@testable import CalotypeImaging
import Glibc
import Testing

/// Linear light, 16 bits, the nearest pixel, and rows that come one after the other.
@Suite struct ResampleLightTests {
  typealias Pictures = ResamplePictures
  static let levels = [CPX_LEVEL_PORTABLE, CPX_LEVEL_SIMD128, CPX_LEVEL_SIMD256, CPX_LEVEL_SIMD512]

  static func linear(_ value: UInt8) -> Double {
    let v = Double(value) / 255
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
  }

  static func encoded(_ value: Double) -> Double {
    let v = min(max(value, 0), 1)
    return 255 * (v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055)
  }

  @Test func checkerboardsKeepTheirBrightness() throws {
    let board = try Pictures.make(256, 256) { x, y in
      let value: UInt8 = (x + y) % 2 == 0 ? 255 : 0
      return [value, value, value, 255]
    }
    for filter in Pictures.weighing where filter != .bicubic {
      let light = Pictures.bytes(
        try board.resampled(to: PixelSize(width: 16, height: 16), filter: filter, linearLight: true))
      // Half of the light is 187.52; at the edges, where windows are cut off, filters leak a little.
      for y in 2..<14 {
        for x in 2..<14 { #expect(Array(light[(y * 16 + x) * 4..<(y * 16 + x) * 4 + 3]) == [188, 188, 188]) }
      }
      #expect(Set(light).isSubset(of: [187, 188, 255]), "\(filter)")
      let stored = Pictures.bytes(try board.resampled(to: PixelSize(width: 16, height: 16), filter: filter))
      #expect(Set(stored).isSubset(of: [127, 128, 255]), "\(filter)")
    }
  }

  @Test func oneColourStaysOneColourInLinearLight() throws {
    for value in 0...255 {
      let colour = [UInt8(value), UInt8(255 - value), UInt8(value / 2), 255]
      let source = try Pictures.make(19, 7) { _, _ in colour }
      for size in [(5, 3), (40, 9), (1, 1)] {
        let bytes = Pictures.bytes(
          try source.resampled(to: PixelSize(width: size.0, height: size.1), linearLight: true))
        #expect(Array(bytes[0..<4]) == colour && Set(bytes) == Set(colour))
      }
    }
  }

  @Test(arguments: [ResampleFilter.bilinear, .box], [true, false])
  func linearLightAgreesWithDoublePrecision(filter: ResampleFilter, opaque: Bool) throws {
    // Filters that do not overshoot: nothing is clamped between the passes.
    for (from, to) in ResampleTests.sizes where from != to {
      let source = try Pictures.noise(from.width, from.height, opaque: opaque, seed: 3)
      let bytes = Pictures.bytes(source)
      var values = bytes.indices.map { $0 % 4 == 3 ? Double(bytes[$0]) / 255 : Self.linear(bytes[$0]) }
      for index in values.indices where index % 4 != 3 { values[index] *= values[index / 4 * 4 + 3] }
      let expected = ReferenceResample.exact(values, from, to: to, filter: filter)
      let result = Pictures.bytes(try source.resampled(to: to, filter: filter, linearLight: true))
      var worst = 0.0
      for index in result.indices {
        let alpha = expected[index / 4 * 4 + 3]
        if index % 4 == 3 {
          worst = max(worst, abs(Double(result[index]) - 255 * alpha))
        } else if alpha > 0.1 {
          worst = max(worst, abs(Double(result[index]) - Self.encoded(expected[index] / alpha)))
        }
      }
      #expect(worst <= 1, "\(from) to \(to)")
    }
  }

  @Test(arguments: Pictures.weighing, [true, false])
  func allInstructionSetsGiveTheSameLight(filter: ResampleFilter, opaque: Bool) throws {
    let sizes =
      ResampleTests.sizes + [(PixelSize(width: 517, height: 91), PixelSize(width: 100, height: 15))]
    for (from, to) in sizes {
      let source = try Pictures.noise(from.width, from.height, opaque: opaque, seed: 7)
      let results = try Self.levels.map {
        try source.resampled(to: to, from: nil, filter: filter, linearLight: true, level: $0)
      }
      #expect(results.allSatisfy { $0 == results[0] }, "\(from) to \(to)")
    }
  }

  static func wide(_ width: Int, _ height: Int, opaque: Bool, seed: UInt64) throws -> Bitmap {
    var generator = Pictures.SplitMix(state: seed)
    return try Bitmap(size: PixelSize(width: width, height: height), format: .rgba16) { bytes in
      let samples = bytes.bindMemory(to: UInt16.self)
      for index in samples.indices {
        samples[index] = index % 4 == 3 && opaque ? 65535 : UInt16(truncatingIfNeeded: generator.next())
      }
      return opaque
    }
  }

  @Test(arguments: [ResampleFilter.bilinear, .box], [true, false])
  func sixteenBitsAgreeWithDoublePrecision(filter: ResampleFilter, opaque: Bool) throws {
    for (from, to) in ResampleTests.sizes where from != to {
      let source = try Self.wide(from.width, from.height, opaque: opaque, seed: 11)
      let samples = source.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
      var values = samples.map { Double($0) / 65535 }
      for index in values.indices where index % 4 != 3 { values[index] *= values[index / 4 * 4 + 3] }
      let expected = ReferenceResample.exact(values, from, to: to, filter: filter)
      let results = try Self.levels.map {
        try source.resampled(to: to, from: nil, filter: filter, level: $0)
      }
      #expect(results.allSatisfy { $0 == results[0] })
      #expect(results[0].format == .rgba16)
      let result = results[0].withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
      var worst = 0.0
      for index in result.indices {
        let alpha = expected[index / 4 * 4 + 3]
        let value = index % 4 == 3 ? alpha : alpha > 0.1 ? expected[index] / alpha : -1
        if value >= 0 { worst = max(worst, abs(Double(result[index]) - 65535 * value)) }
      }
      // Weights of 13 bits and more, and two passes rounded to 16.
      #expect(worst <= (opaque ? 8 : 40), "\(from) to \(to)")
    }
  }

  @Test func longSidesAreAveragedInLightToo() throws {
    let board = try Pictures.make(70_000, 1, opaque: false) { x, _ in
      x % 2 == 0 ? [255, 255, 255, 255] : [0, 0, 0, 255]
    }
    let light = Pictures.bytes(
      try board.resampled(to: PixelSize(width: 3, height: 1), filter: .box, linearLight: true))
    #expect(Set(light) == [188, 255])
    let wide = try Self.wide(1, 70_000, opaque: false, seed: 5)
    let samples = wide.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    let mean = stride(from: 3, to: samples.count, by: 4).reduce(0.0) { $0 + Double(samples[$1]) } / 70_000
    let dot = try wide.resampled(to: PixelSize(width: 1, height: 1), filter: .box)
    let alpha = dot.withUnsafeBytes { $0.load(fromByteOffset: 6, as: UInt16.self) }
    #expect(abs(Double(alpha) - mean) <= 40)
  }

  @Test func nearestTakesThePixelBelowTheCentre() throws {
    let source = try Pictures.noise(23, 17, opaque: false)
    let bytes = Pictures.bytes(source)
    for (width, height) in [(7, 5), (50, 40), (23, 3), (1, 1), (46, 34)] {
      let result = Pictures.bytes(
        try source.resampled(to: PixelSize(width: width, height: height), filter: .nearest))
      for y in 0..<height {
        for x in 0..<width {
          // Doubles are exact enough here: no centre is nearer than 1e-6 to a border, unless on it.
          let column = Int(((Double(x) + 0.5) * 23 / Double(width) + 1e-9).rounded(.down))
          let row = Int(((Double(y) + 0.5) * 17 / Double(height) + 1e-9).rounded(.down))
          let expected = Array(bytes[((row * 23 + column) * 4)..<((row * 23 + column) * 4 + 4)])
          let pixel = Array(result[((y * width + x) * 4)..<((y * width + x) * 4 + 4)])
          #expect(pixel[3] == expected[3])
          if expected[3] == 255 { #expect(pixel == expected, "\(x), \(y) at \(width)×\(height)") }
        }
      }
    }
  }

  @Test(arguments: ResampleFilter.allCases, [true, false])
  func rowsGiveTheBytesOfTheWhole(filter: ResampleFilter, linearLight: Bool) throws {
    var generator = Pictures.SplitMix(state: 99)
    let sizes = ResampleTests.sizes + [(PixelSize(width: 90, height: 900), PixelSize(width: 9, height: 70))]
    for (from, to) in sizes {
      for opaque in [true, false] {
        let source = try Pictures.noise(from.width, from.height, opaque: opaque, seed: 21)
        let whole = Bitmap.Region(from)
        let cut = Bitmap.Region(
          x: whole.width / 8, y: whole.height / 3, width: whole.width / 2, height: whole.height / 2)
        for region in [whole, cut] {
          let expected = try source.resampled(to: to, from: region, filter: filter, linearLight: linearLight)
          if expected.size == from, region == whole { continue }
          let plan = ResamplePlan(
            source: from, format: .rgba8, isOpaque: opaque, size: to, region: region, filter: filter,
            linearLight: linearLight)
          #expect(!plan.reducesFirst)
          let rows = try RowSink([plan])
          while !rows.isComplete {
            let room = rows.room
            try #require(room.count > 0)
            let count = Int(generator.next() % UInt64(room.count)) + 1
            let target = try #require(room.start)
            source.withUnsafeBytes { bytes in
              let first = rows.rows * source.bytesPerRow
              for index in 0..<(count * source.bytesPerRow) { target[index] = bytes[first + index] }
            }
            rows.advance(by: count)
          }
          let result = try #require(rows.finished()?.first)
          #expect(result == expected, "\(from) to \(to), \(opaque)")
          #expect(result.isOpaque == opaque)
        }
      }
    }
  }
}
