import CPixels

/// The weights of one axis of a resize: the samples of each output and their weights.
///
/// Weights are computed in double precision, normalised over the existing samples (windows are cut off at the edges of
/// the picture, not at those of the region), and rounded to 16-bit fixed point so that those of an output sum to
/// exactly 1: areas of one colour stay unchanged.
struct FilterBank: ~Copyable {
  /// The number of fraction bits of the weights.
  var precision: Int = 13
  /// The number of samples per output: the maximum over all outputs.
  let taps: Int
  /// The distance between the weights of two outputs: `taps` rounded up to 16; the rest is zero.
  let stride: Int
  /// The number of outputs.
  let count: Int

  private let pool: PixelPool
  /// `count * stride` weights, then `count` first samples.
  private let buffer: UnsafeMutableRawBufferPointer
  let coefficients: UnsafeMutableBufferPointer<Int16>
  let starts: UnsafeMutableBufferPointer<Int32>

  /// The largest magnitude of a sample: sums of products stay within 32 bits.
  private let largestSample: Int

  /// The largest magnitude of a weight: its high part, weight / 128, must fit a signed byte.
  static let largestWeight = 16383
  /// The largest magnitude of bytes, and of 16-bit samples that are stored as value - 32768.
  static let largestByte = 255
  static let largestWord = 32768
  /// The largest number of weights in a bank: 256 MiB. Realistic banks have thousands of times fewer.
  static let largestCount = 1 << 27
  /// Beyond this, sums of 255 times all weights could leave 32 bits.
  static let largestPrecision = 22

  /// Computes the weights.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/invalidParameter(name:reason:)`` for
  ///   pictures with sides of 2³¹ pixels or more, and more weights than ``largestCount``.
  init(
    axis: ResampleAxis, filter: ResampleFilter, largestSample: Int = Self.largestByte, pool: PixelPool
  ) throws(ImagingError) {
    guard axis.samples < Int(Int32.max), axis.count < Int(Int32.max) else {
      throw .invalidParameter(name: "size", reason: "a side of \(max(axis.length, axis.count)) is too long")
    }
    // This check comes before the loop over all outputs.
    try Self.check(count: axis.count, taps: 1)
    try self.init(
      count: axis.count, taps: axis.longestWindow(filter: filter), largestSample: largestSample, pool: pool)
    if axis.isCopy { copy(axis) } else { compute(axis, filter: filter) }
  }

  /// Creates a bank whose weights are all 0 at first. Both numbers are below 2³¹.
  init(
    count: Int, taps: Int, largestSample: Int = Self.largestByte, pool: PixelPool
  ) throws(ImagingError) {
    // Both factors are below 2^32.
    let stride = (taps + 15) & ~15
    try Self.check(count: count, taps: taps)
    let weightsSize = count * stride * 2
    let startsSize = count * 4
    guard let buffer = pool.take(byteCount: weightsSize + startsSize) else {
      throw .outOfMemory(byteCount: weightsSize + startsSize)
    }
    self.largestSample = largestSample
    self.taps = taps
    self.stride = stride
    self.count = count
    self.pool = pool
    self.buffer = buffer
    coefficients = UnsafeMutableRawBufferPointer(rebasing: buffer[..<weightsSize]).bindMemory(to: Int16.self)
    starts = UnsafeMutableRawBufferPointer(rebasing: buffer[weightsSize..<(weightsSize + startsSize)])
      .bindMemory(to: Int32.self)
    coefficients.initialize(repeating: 0)
    starts.initialize(repeating: 0)
  }

  private static func check(count: Int, taps: Int) throws(ImagingError) {
    guard count * ((taps + 15) & ~15) <= largestCount else {
      throw .invalidParameter(
        name: "size", reason: "\(count) outputs of \(taps) samples each are too many; resize in steps")
    }
  }

  deinit {
    pool.giveBack(buffer)
  }

  /// The bank for the C code; valid as long as the bank is.
  var filter: cpx_filter {
    cpx_filter(
      count: Int32(count), taps: Int32(taps), stride: Int32(stride), precision: Int32(precision),
      starts: UnsafePointer(starts.baseAddress), coefficients: UnsafePointer(coefficients.baseAddress))
  }

  /// Returns the first sample of an output.
  func start(of output: Int) -> Int { Int(starts[output]) }

  /// Returns the first sample and the fixed-point weights of an output.
  func weights(of output: Int) -> (start: Int, weights: [Int]) {
    let first = output * stride
    return (Int(starts[output]), coefficients[first..<(first + taps)].map(Int.init))
  }

  private mutating func copy(_ axis: ResampleAxis) {
    for output in 0..<count {
      starts[output] = Int32(min(max(0, Int(axis.start) + output), axis.samples - 1))
      coefficients[output * stride] = 1 << 13
    }
  }

  private mutating func compute(_ axis: ResampleAxis, filter: ResampleFilter) {
    let weights = UnsafeMutableBufferPointer<Double>.allocate(capacity: taps)
    defer { weights.deallocate() }
    let turn = LanczosAngle.Turn(by: 1 / max(1, axis.scale))
    // The largest weight is about 1 / scale, somewhat more at edges. If the guess is wrong, a coarser precision
    // follows.
    precision = Self.largestPrecision
    while precision > 1, Double(1 << precision) * 1.25 > Double(Self.largestWeight) * max(1, axis.scale) {
      precision -= 1
    }
    // The second half of a symmetric axis is the mirrored first one, so that mirroring a picture before or after a
    // resize gives the same bytes.
    let computed = axis.isSymmetric ? (count + 1) / 2 : count
    var output = 0
    while output < computed {
      if output % 4096 == 0, Task.isCancelled {
        // Users of the bank check for cancellation before the first row; until then it has to be valid.
        starts.update(repeating: 0)
        return
      }
      let window = axis.window(output, filter: filter)
      Self.sample(axis, output: output, window: window, filter: filter, turn: turn, into: weights)
      // Windows that are cut off at the end move forward, so that all have the same number of samples. Those that end
      // in the middle do too: a mirrored window must not start before one that is not.
      let last = axis.isSymmetric ? (axis.samples - taps) / 2 : axis.samples - taps
      let start = max(min(window.lowerBound, last), window.upperBound - taps)
      starts[output] = Int32(start)
      let first = output * stride + window.lowerBound - start
      guard quantize(weights, count: window.count, at: first) || precision == 1 else {
        precision -= 1
        coefficients.update(repeating: 0)
        output = 0
        continue
      }
      output += 1
    }
    for output in computed..<max(computed, count) {
      let mirrored = count - 1 - output
      starts[output] = Int32(axis.samples - taps) - starts[mirrored]
      for tap in 0..<taps {
        coefficients[output * stride + tap] = coefficients[mirrored * stride + taps - 1 - tap]
      }
    }
  }

  /// Computes the weights of the samples of a window; they sum to 1.
  private static func sample(
    _ axis: ResampleAxis, output: Int, window: Range<Int>, filter: ResampleFilter,
    turn: LanczosAngle.Turn, into weights: UnsafeMutableBufferPointer<Double>
  ) {
    let center = axis.center(output)
    let stretch = max(1, axis.scale)
    var sum = 0.0
    if filter == .lanczos3, axis.cell == 1 {
      // Samples are a step apart, and so are the angles of the sines.
      var angle = LanczosAngle(turn)
      for index in window {
        let weight = angle.weight(at: (Double(index) + 0.5 - center) / stretch)
        weights[index - window.lowerBound] = weight
        sum += weight
      }
    } else {
      for index in window {
        let sample = axis.sample(index)
        let weight = filter.weight(at: (sample.center - center) / stretch) * sample.weight
        weights[index - window.lowerBound] = weight
        sum += weight
      }
    }
    guard sum > 1e-6, filter != .nearest else {
      // No sample lies within the radius: the nearest one counts alone.
      let nearest = min(max(window.lowerBound, Int(center)), window.upperBound - 1)
      for index in window { weights[index - window.lowerBound] = index == nearest ? 1 : 0 }
      return
    }
    for index in 0..<window.count { weights[index] /= sum }
  }

  /// Rounds to the nearest whole number, halves away from 0, as `rounded()` does, without a call or a branch.
  ///
  /// The summand is less than a half, so that the number just below a half stays below; for a half itself the sum is
  /// rounded up.
  private static func rounded(_ value: Double) -> Int {
    Int(value + Double(signOf: value, magnitudeOf: 0.5.nextDown))
  }

  /// Rounds weights to fixed point, from both ends to the middle; each takes over the rounding error of its neighbour.
  /// Even thousands of tiny weights therefore keep their partial sums, the total is exact, and symmetric weights stay
  /// symmetric.
  ///
  /// - Returns: True if all weights, and all sums of products with bytes, are within their ranges.
  func quantize(_ weights: UnsafeMutableBufferPointer<Double>, count: Int, at first: Int) -> Bool {
    let one = 1 << precision
    // Samples between the passes have up to six fraction bits, which are rounded off at the end.
    let rounding = largestSample == Self.largestByte ? one / 2 : 32 * one
    var left = 0
    var right = 0
    var leftCarry = 0.0
    var rightCarry = 0.0
    var magnitudes = 0
    var largest = 0
    func set(_ index: Int, _ value: Int) {
      coefficients[first + index] = Int16(truncatingIfNeeded: value)
      magnitudes += abs(value)
      largest = max(largest, abs(value))
    }
    for index in 0..<(count / 2) {
      let other = count - 1 - index
      let exactLeft = weights[index] * Double(one) + leftCarry
      let exactRight = weights[other] * Double(one) + rightCarry
      var leftWeight = Self.rounded(exactLeft)
      var rightWeight = Self.rounded(exactRight)
      leftCarry = exactLeft - Double(leftWeight)
      rightCarry = exactRight - Double(rightWeight)
      if other == index + 1 {
        let rest = one - left - right - leftWeight - rightWeight
        leftWeight += rest / 2
        rightWeight += rest - rest / 2
      }
      left += leftWeight
      right += rightWeight
      set(index, leftWeight)
      set(other, rightWeight)
    }
    if count % 2 == 1 { set(count / 2, one - left - right) }
    return largest <= Self.largestWeight && magnitudes <= (Int(Int32.max) - rounding) / largestSample
  }
}
