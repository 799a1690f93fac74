import Glibc

/// The outputs of a blur along an axis, in samples: output `i` is at `first + i * step`. Sample 0 is at 0.
struct BlurGrid: Hashable {
  var count: Int
  var first = 0
  var step = 1

  /// Creates one output for every `step` samples; unless that is 1, from one step before the first sample to at least
  /// one step behind the last, which is enough for cubic interpolation between them.
  init(samples: Int, step: Int) {
    guard step > 1 else {
      count = samples
      return
    }
    self.step = step
    first = -step
    count = (samples - 1) / step + 4
  }
}

extension FilterBank {
  /// The radius of the Gaussian in standard deviations: the omitted part is an eighth of a level at most.
  private static let reach = 3.5

  /// Creates a Gaussian, sampled at the distances of the samples from each output and normalised over the existing
  /// samples, which end at the edges.
  ///
  /// - Parameters:
  ///   - sigma: The standard deviation in samples; above 0.
  ///   - samples: Samples along the axis.
  ///   - grid: The outputs; none more than two of its steps beyond the edges.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/invalidParameter(name:reason:)`` for sides of
  ///   2³¹ pixels or more.
  init(gaussian sigma: Double, samples: Int, grid: BlurGrid, pool: PixelPool) throws(ImagingError) {
    // Outputs beyond the edges need a larger radius: all of their samples are at one side.
    let radius = Int((sigma * Self.reach).rounded(.up)) + (grid.step > 1 ? 2 * grid.step : 0)
    let kernel = (0...radius).map { distance in
      let x = Double(distance) / sigma
      return exp(-0.5 * x * x)
    }
    try self.init(samples: samples, count: grid.count, taps: 2 * radius + 1, pool: pool) { output in
      let center = grid.first + output * grid.step
      let window = max(0, center - radius)..<min(samples, center + radius + 1)
      return (window, { kernel[abs($0 - center)] })
    }
  }

  /// Creates a bank that interpolates the outputs of a coarse grid at each of its samples: the cubic convolution of
  /// Keys 1981 with a = -1/2.
  init(interpolating grid: BlurGrid, samples: Int, pool: PixelPool) throws(ImagingError) {
    try self.init(samples: grid.count, count: samples, taps: 4, pool: pool) { output in
      let position = Double(output - grid.first) / Double(grid.step)
      let first = (output - grid.first) / grid.step - 1
      return (first..<(first + 4), { ResampleFilter.bicubic.weight(at: Double($0) - position) })
    }
  }

  /// Creates a bank of any weights; they need not be normalised. Windows are not empty, not longer than `taps`, and
  /// neither start nor end before their predecessor.
  private init(
    samples: Int, count: Int, taps: Int, pool: PixelPool,
    weights: (_ output: Int) -> (window: Range<Int>, weight: (_ sample: Int) -> Double)
  ) throws(ImagingError) {
    guard samples < Int(Int32.max), count < Int(Int32.max) else {
      throw .invalidParameter(name: "size", reason: "a side of \(max(samples, count)) is too long")
    }
    let taps = min(taps, samples)
    try self.init(count: count, taps: taps, largestSample: Self.largestWord, pool: pool)
    let normalised = UnsafeMutableBufferPointer<Double>.allocate(capacity: taps)
    defer { normalised.deallocate() }
    precision = Self.largestPrecision
    var output = 0
    while output < count {
      let (window, weight) = weights(output)
      // Windows that are cut off at the end move forward, so that all have the same number of samples.
      let start = max(min(window.lowerBound, samples - taps), window.upperBound - taps)
      starts[output] = Int32(start)
      var sum = 0.0
      for (index, sample) in window.enumerated() {
        normalised[index] = weight(sample)
        sum += normalised[index]
      }
      for index in 0..<window.count { normalised[index] /= sum }
      let first = output * stride + window.lowerBound - start
      guard quantize(normalised, count: window.count, at: first) || precision == 1 else {
        precision -= 1
        coefficients.update(repeating: 0)
        output = 0
        continue
      }
      output += 1
    }
  }
}
