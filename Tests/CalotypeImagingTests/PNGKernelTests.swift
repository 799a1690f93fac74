import CPixels
import Testing

/// The C loops: every level, and their bodies against the words of the specification.
@Suite struct PNGKernelTests {
  private static let levels = [CPX_LEVEL_PORTABLE, CPX_LEVEL_SIMD128, CPX_LEVEL_SIMD256, CPX_LEVEL_SIMD512]
    .filter { $0.rawValue <= cpx_best_level().rawValue }

  private func noise(_ count: Int, seed: UInt32) -> [UInt8] {
    var state = seed
    return (0..<count).map { index in
      state = state &* 1_664_525 &+ 1_013_904_223
      // Runs of extremes, too: ties and overflows are where predictors go wrong.
      return index % 7 == 0 ? 255 : index % 11 == 0 ? 0 : UInt8(state >> 24)
    }
  }

  private func predicted(_ row: [UInt8], _ prior: [UInt8]?, _ i: Int, _ step: Int, _ filter: Int) -> Int {
    let a = i >= step ? Int(row[i - step]) : 0
    let b = prior.map { Int($0[i]) } ?? 0
    let c = i >= step ? prior.map { Int($0[i - step]) } ?? 0 : 0
    switch filter {
    case 1: return a
    case 2: return b
    case 3: return (a + b) / 2
    case 4:
      let p = a + b - c
      let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
      return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
    default: return 0
    }
  }

  @Test func filtersAreUndone() {
    for step in [1, 2, 3, 4, 6, 8] {
      for bytes in [step, step * 2, step * 5, step * 16, step * 37] {
        let filtered = noise(bytes + 16, seed: UInt32(bytes))
        let above = noise(bytes + 16, seed: UInt32(bytes) + 7)
        for prior in [above, nil] {
          for filter in 0...4 {
            var expected = filtered
            for i in 0..<bytes {
              expected[i] = UInt8(truncatingIfNeeded: Int(filtered[i]) + predicted(expected, prior, i, step, filter))
            }
            for level in Self.levels {
              var row = filtered
              cpng_unfilter(CInt(filter), &row, prior, bytes, CInt(step), level)
              #expect(row == expected, "filter \(filter), \(step) bytes a pixel, \(bytes) bytes, level \(level)")
            }
          }
        }
      }
    }
  }

  @Test func theBestFilterIsChosen() {
    for step in [1, 3, 4, 8] {
      let bytes = step * 61
      let row = noise(bytes, seed: 3)
      for prior in [noise(bytes, seed: 5), row, nil] {
        var sums: [Int] = []
        var rows: [[UInt8]] = []
        for filter in 0...4 {
          let made = (0..<bytes).map {
            UInt8(truncatingIfNeeded: Int(row[$0]) - predicted(row, prior, $0, step, filter))
          }
          rows.append(made)
          sums.append(made.reduce(0) { $0 + abs(Int(Int8(bitPattern: $1))) })
        }
        for level in Self.levels {
          var out = [UInt8](repeating: 0, count: bytes + 1)
          var scratch = [UInt8](repeating: 0, count: bytes)
          let filter = Int(cpng_filter(row, prior, bytes, CInt(step), &out, &scratch, level))
          let least = prior == nil ? min(sums[0], sums[1]) : sums.min()
          #expect(Int(out[0]) == filter)
          #expect(Array(out.dropFirst()) == rows[filter])
          #expect(sums[filter] == least)
        }
      }
    }
  }

  @Test func colorsAreSpreadAlikeAtAllLevels() {
    var pixels = cpng_pixels()
    cpng_pixels_init(&pixels, 2, 8, CPNG_RGBA8, nil, 0, nil, 0)
    for width in [1, 3, 4, 5, 16, 33] {
      let row = noise(width * 3 + 16, seed: 9)
      var expected: [UInt8] = []
      for x in 0..<width { expected += row[x * 3..<x * 3 + 3] + [255] }
      for level in Self.levels {
        var out = [UInt8](repeating: 7, count: width * 4 + 1)
        cpng_expand(&pixels, row, &out, width, level)
        #expect(out == expected + [7])
      }
    }
  }

  /// Source over destination, in whole numbers, to nearest.
  private func over(_ s: [Int], _ d: [Int], most: Int) -> [Int] {
    if s[3] == 0 { return d }
    if s[3] == most { return s }
    let alpha = s[3] * most + d[3] * (most - s[3])
    let color = (0..<3).map { (channel: Int) -> Int in
      let sum = s[channel] * s[3] * most + d[channel] * d[3] * (most - s[3])
      return (2 * sum + alpha) / (2 * alpha)
    }
    return color + [(2 * alpha + most) / (2 * most)]
  }

  @Test func blendingIsExact() {
    let values = [0, 1, 2, 127, 128, 200, 254, 255]
    for sa in values {
      for da in 0...255 {
        let (s, d) = ([255, sa, 77, sa], [3, 200, da, da])
        var out = d.map { UInt8($0) }
        cpng_place(s.map { UInt8($0) }, &out, 1, 1, 4, 1)
        #expect(out.map { Int($0) } == over(s, d, most: 255))
      }
    }
    for sa in [0, 1, 300, 32768, 65534, 65535] {
      for da in [0, 1, 255, 40000, 65534, 65535] {
        let (s, d) = ([65535, sa, 777, sa], [3, 50000, da, da])
        var out = d.map { UInt16($0) }
        out.withUnsafeMutableBytes { target in
          s.map { UInt16($0) }.withUnsafeBytes { source in
            cpng_place(source.baseAddress, target.baseAddress, 1, 1, 8, 1)
          }
        }
        #expect(out.map { Int($0) } == over(s, d, most: 65535))
      }
    }
  }
}
